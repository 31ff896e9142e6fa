/*
 * A score of a line of text: each letter counts by its place in the alphabet, and by where in the
 * line it stands. Other characters count nothing.
 */
#include <stdio.h>

enum { SIZE = 60000, PASSES = 900 };

static unsigned char page[SIZE];

/* The place of a letter, from 1. */
static inline int place(unsigned char character)
{
    return character - 'a' < 26u ? character - 'a' + 1 : 0;
}

__attribute__((noinline)) long points(const unsigned char *start, int letters)
{
    long result = 0;
    for (int k = 0; k < letters; k++)
        result += place(start[k]) * (k & 3);
    return result;
}

int main(void)
{
    for (int k = 0; k < SIZE; k++)
        page[k] = (unsigned char)("a quick brown fox, and a dog"[k % 28]);
    long result = 0;
    for (int pass = 0; pass < PASSES; pass++)
        result += points(page + pass, SIZE - PASSES);
    printf("%ld\n", result);
    return 0;
}
