/* Counts words by their first letters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 6000000 };

static unsigned counts[256];

#ifdef KEEP
static char kept[32];
#define TAKE(size) kept
#define GIVE(p) (void)(p)
#else
#define TAKE(size) malloc(size)
#define GIVE(p) free(p)
#endif

__attribute__((noinline)) void count(const char *word, size_t length)
{
    char *copy = TAKE(length + 1);
    memcpy(copy, word, length);
    copy[length] = 0;
    for (char *at = copy; *at; at++)
        *at = (char)(*at & ~32);
    counts[(unsigned char)copy[0]] += (unsigned char)copy[1];
    GIVE(copy);
}

int main(void)
{
    static const char text[] = "manyordinarylettersinonelineoftext";
    for (unsigned i = 0; i < WORDS; i++)
        count(text + i % 24, 2 + i % 3);
    printf("%u %u\n", counts['M'], counts['O']);
    return 0;
}
