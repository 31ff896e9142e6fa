/* Compares versions of files line by line: which lines are the same, and where they begin to differ. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 20, WIDTH = 700, ROUNDS = 100000 };

static char *made(unsigned seed, unsigned *size)
{
    char *text = malloc((size_t)LINES * (WIDTH + 2) + 1), *at = text;
    for (int i = 0; i < LINES; i++) {
        unsigned kind = i * 2654435761u;
        int length = WIDTH / 2 + kind % (WIDTH / 2);
        for (int k = 0; k < length; k++) {
            kind = kind * 1664525 + 1013904223;
            *at++ = 'a' + (kind >> 24) % 26;
        }
        if ((i + seed) % 5 == 0)
            at[-3] = 'A' + seed % 26;
        *at++ = '\n';
    }
    *at = 0;
    *size = at - text;
    return text;
}

static int split(char *text, char **lines)
{
    int count = 0;
    while (*text) {
        lines[count++] = text;
        char *end = strchr(text, '\n');
        if (!end)
            break;
        text = end + 1;
    }
    return count;
}

/* The same lines, and those that are missing on the other side; lines are compared with their neighbours, too. */
static unsigned compared(char *old, unsigned old_size, char *new, unsigned new_size)
{
    static char *left[LINES + 1], *right[LINES + 1];
    int lefts = split(old, left), rights = split(new, right);
    left[lefts] = old + old_size;
    right[rights] = new + new_size;
    unsigned same = 0;
    for (int i = 0; i < lefts; i++) {
        size_t length = left[i + 1] - left[i];
        for (int k = i > 1 ? i - 1 : 0; k < i + 2 && k < rights; k++) {
            if ((size_t)(right[k + 1] - right[k]) == length && !memcmp(left[i], right[k], length)) {
                same += k + 1;
                break;
            }
        }
        if (memchr(left[i], 'Z' - i % 3, length))
            same++;
    }
    return same;
}

int main(void)
{
    enum { VERSIONS = 3 };
    char *texts[VERSIONS];
    unsigned sizes[VERSIONS];
    for (int i = 0; i < VERSIONS; i++)
        texts[i] = made(i, &sizes[i]);
    unsigned long same = 0, bytes = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 1; i < VERSIONS; i++) {
            same += compared(texts[i - 1], sizes[i - 1], texts[i], sizes[i]);
            bytes += strlen(texts[i]);
        }
    }
    printf("%lu same, %lu bytes\n", same, bytes);
    return 0;
}
