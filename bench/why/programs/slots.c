/* Looks up slots of a table in no order. */
#include <stdio.h>
#include <stdlib.h>

#ifndef ALIGN
#define ALIGN 8
#endif

struct slot {
    unsigned key;
    unsigned value;
} __attribute__((aligned(ALIGN)));

enum { SLOTS = 1 << 12, LOOKUPS = 25000000 };

static struct slot table[SLOTS];

__attribute__((noinline)) unsigned long follow(unsigned count)
{
    unsigned long sum = 0;
    unsigned at = 1;
    for (unsigned i = 0; i < count; i++) {
        at = table[at].key;
        sum += table[at].value;
    }
    return sum;
}

int main(void)
{
    for (unsigned i = 0; i < SLOTS; i++)
        table[i] = (struct slot){(i * 40503u + 12345u) % SLOTS, i};
    printf("%lu\n", follow(LOOKUPS));
    return 0;
}
