/* Walks a list of readings. */
#include <stdio.h>
#include <stdlib.h>

struct reading {
    struct reading *next;
    long value;
};

enum { READINGS = 100000, ROUNDS = 60 };

__attribute__((noinline)) long walk(const struct reading *from)
{
    long sum = 0;
    for (; from; from = from->next)
        sum += from->value;
    return sum;
}

int main(void)
{
    struct reading *all = calloc(READINGS, sizeof *all);
    unsigned *order = calloc(READINGS, sizeof *order);
    for (unsigned i = 0; i < READINGS; i++)
        order[i] = i;
    unsigned seed = 1;
    for (unsigned i = READINGS - 1; i > 0; i--) {
        seed = seed * 1664525u + 1013904223u;
        unsigned other = (seed >> 4) % (i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    long sum = 0;
    for (unsigned i = 0; i < READINGS; i++) {
#ifdef IN_ORDER
        all[i] = (struct reading){i + 1 < READINGS ? &all[i + 1] : NULL, order[i]};
#else
        all[order[i]] =
            (struct reading){i + 1 < READINGS ? &all[order[i + 1]] : NULL, order[i]};
#endif
    }
#ifdef IN_ORDER
    const struct reading *first = all;
#else
    const struct reading *first = &all[order[0]];
#endif
    for (int round = 0; round < ROUNDS; round++)
        sum += walk(first);
    printf("%ld\n", sum);
    return 0;
}
