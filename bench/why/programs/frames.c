/* Draws frames into a buffer. */
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 40 << 20, FRAMES = 10 };

__attribute__((noinline)) long draw(unsigned char *frame, int number)
{
    for (int at = 0; at < SIZE; at += 256)
        frame[at] = (unsigned char)(at ^ number);
    return frame[SIZE / 2];
}

int main(void)
{
    long sum = 0;
#ifdef REUSE
    unsigned char *frame = malloc(SIZE);
#endif
    for (int number = 0; number < FRAMES; number++) {
#ifndef REUSE
        unsigned char *frame = malloc(SIZE);
#endif
        sum += draw(frame, number);
#ifndef REUSE
        free(frame);
#endif
    }
    printf("%ld\n", sum);
    return 0;
}
