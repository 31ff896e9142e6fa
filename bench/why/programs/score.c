/* Adds up the weights of the letters of a text. */
#include "letters.h"

#include <stdio.h>

enum { LENGTH = 60000, ROUNDS = 900 };

static unsigned char text[LENGTH];

__attribute__((noinline)) long score(const unsigned char *from, int count)
{
    long sum = 0;
    for (int i = 0; i < count; i++)
        sum += weight(from[i]) * (i & 3);
    return sum;
}

int main(void)
{
    for (int i = 0; i < LENGTH; i++)
        text[i] = (unsigned char)("a quick brown fox, and a dog"[i % 28]);
    long sum = 0;
    for (int round = 0; round < ROUNDS; round++)
        sum += score(text + round, LENGTH - ROUNDS);
    printf("%ld\n", sum);
    return 0;
}
