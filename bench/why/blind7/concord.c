/* A concordance: how often words stand in files, whatever the case of their letters. */
#include <ctype.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 12, SIZE = 400000, SLOTS = 1 << 13, PASSES = 25 };

struct word {
    char text[24];
    unsigned count;
};

static struct word words[SLOTS];
static unsigned char lower[256];

static struct word *entry(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    for (uint32_t at = hash;; at++) {
        struct word *w = &words[at % SLOTS];
        if (!w->text[0]) {
            memcpy(w->text, text, length);
            return w;
        }
        if (!strncmp(w->text, text, length) && !w->text[length])
            return w;
    }
}

/* Turns the first word of each line into small letters, where it is, and counts it. */
static void counted(char *text, size_t size)
{
    char *stop = text + size;
    while (text < stop) {
        char *end = memchr(text, '\n', stop - text);
        if (!end)
            end = stop;
        char *space = memchr(text, ' ', end - text);
        size_t length = (space ? space : end) - text;
        for (size_t i = 0; i < length; i++)
            text[i] = lower[(unsigned char)text[i]];
        if (length > 0 && length < sizeof words->text)
            entry(text, length)->count++;
        text = end + 1;
    }
}

static void file_counted(const char *path)
{
    int file = open(path, O_RDONLY);
    struct stat state;
    if (file < 0 || fstat(file, &state)) {
        perror(path);
        exit(1);
    }
    size_t size = state.st_size;
#ifdef MAPPED
    char *text = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    if (text == MAP_FAILED)
        exit(1);
    counted(text, size);
    munmap(text, size);
#else
    static char *text;
    static size_t room;
    if (room < size)
        text = realloc(text, room = size);
    if (read(file, text, size) != (ssize_t)size)
        exit(1);
    counted(text, size);
#endif
    close(file);
}

static void written(const char *path, unsigned seed)
{
    static const char *const list[] = {"River", "stone", "Garden", "LETTER", "cloud", "Market", "winter", "Bridge"};
    FILE *out = fopen(path, "w");
    for (long size = 0; size < SIZE;) {
        seed = seed * 1664525 + 1013904223;
        size += fprintf(out, "%s%u was seen near the %s, and the %s was not far from it; nobody knew of a %s\n",
                        list[seed >> 29], seed >> 20 & 255, list[seed >> 26 & 7], list[seed >> 23 & 7],
                        list[seed >> 17 & 7]);
    }
    fclose(out);
}

int main(void)
{
    const char *folder = getenv("TMPDIR");
    char paths[FILES][4096];
    for (int c = 0; c < 256; c++)
        lower[c] = tolower(c);
    for (int i = 0; i < FILES; i++) {
        snprintf(paths[i], sizeof *paths, "%s/concordXXXXXX", folder ? folder : "/tmp");
        close(mkstemp(paths[i]));
        written(paths[i], i);
    }
    for (int pass = 0; pass < PASSES; pass++)
        for (int i = 0; i < FILES; i++)
            file_counted(paths[i]);
    unsigned long total = 0, most = 0;
    for (int i = 0; i < SLOTS; i++) {
        total += words[i].count;
        if (words[i].count > most)
            most = words[i].count;
    }
    for (int i = 0; i < FILES; i++)
        unlink(paths[i]);
    printf("%lu words, the most frequent %lu times\n", total, most);
    return 0;
}
