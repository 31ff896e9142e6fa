/* Appends entries to a journal in the current folder. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef EVERY
#define EVERY 1000
#endif
#ifndef MODE
#define MODE 0
#endif

int main(void)
{
    int journal = open("journal.tmp", O_CREAT | O_TRUNC | O_WRONLY | MODE, 0600);
    char entry[4096];
    memset(entry, 'e', sizeof entry);
    for (int i = 1; i <= 100; i++) {
        if (write(journal, entry, sizeof entry) != sizeof entry)
            return 1;
        if (i % EVERY == 0)
            fdatasync(journal);
    }
    close(journal);
    unlink("journal.tmp");
    return 0;
}
