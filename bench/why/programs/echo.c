/* Adds an echo to a line of samples. */
#include <stdio.h>

#ifndef DELAY
#define DELAY 16
#endif

enum { SAMPLES = 8192, ROUNDS = 20000 };

static unsigned short line[SAMPLES + 64], dry[SAMPLES + 64];

__attribute__((noinline)) void echo(int from, int to)
{
    for (int i = from; i < to; i++)
        line[i] = (unsigned short)((line[i - DELAY] >> 1) + dry[i]);
}

int main(void)
{
    for (int i = 0; i < SAMPLES + 64; i++)
        dry[i] = (unsigned short)(i * 31);
    unsigned long sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        line[round % 32] = (unsigned short)round;
        echo(32, SAMPLES);
        sum += line[SAMPLES - 1 - round % 64];
    }
    printf("%lu\n", sum);
    return 0;
}
