/* A ring of samples, read at several places behind the newest one. */
#include <stdio.h>
#include <stdlib.h>

#ifdef FIXED
#define WRAP(i) ((i) % 4096u)
#else
#define WRAP(i) ((i) % size)
#endif

__attribute__((noinline)) unsigned long play(unsigned *ring, unsigned size, unsigned count)
{
    unsigned long sum = size;
    for (unsigned i = 0; i < count; i++) {
        ring[WRAP(i)] = i;
        sum += ring[WRAP(i + 100)];
        sum += ring[WRAP(i + 2000)];
    }
    return sum;
}

int main(int argc, char **argv)
{
    unsigned size = argc > 1 ? (unsigned)atoi(argv[1]) : 4096;
    unsigned *ring = calloc(4096, sizeof *ring);
    printf("%lu\n", play(ring, size, 30000000));
    free(ring);
    return 0;
}
