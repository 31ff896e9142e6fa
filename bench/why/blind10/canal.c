/* A canal: one process sends water to another through a pipe, which measures it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK = 65536, BLOCKS = 2500 };

static unsigned char block[BLOCK];

static void sent(int to)
{
    for (unsigned i = 0; i < BLOCKS; i++) {
        memset(block, (int)(i & 127), 64);
        for (size_t done = 0; done < BLOCK;) {
            ssize_t wrote = write(to, block + done, BLOCK - done);
            if (wrote <= 0)
                _exit(1);
            done += (size_t)wrote;
        }
    }
    _exit(0);
}

int main(void)
{
    int ends[2];
    if (pipe(ends))
        return 1;
#ifdef SMALL
    if (fcntl(ends[1], F_SETPIPE_SZ, 4096) < 0)
        return 1;
#endif
    pid_t child = fork();
    if (child < 0)
        return 1;
    if (!child) {
        close(ends[0]);
        sent(ends[1]);
    }
    close(ends[1]);
    uint64_t level = 0, all = 0;
    for (ssize_t got; (got = read(ends[0], block, BLOCK)) > 0; all += (uint64_t)got)
        for (ssize_t i = 0; i < got; i += 64)
            level += block[i];
    int state;
    waitpid(child, &state, 0);
    printf("%lu %lu\n", (unsigned long)all, (unsigned long)level);
    return state;
}
