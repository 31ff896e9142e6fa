/* Longest prefix match: 120 made-up prefixes of 4 to 28 bits in a binary trie, which 600 made-up
 * addresses walk down from the highest bit. Returns misses << 48 | nodes << 32 | a sum over the
 * routes that are found. */
#include "../program.h"

struct node {
    u16 child[2];
    u32 route;
};

enum { PREFIXES = 120, LOOKUPS = 600, NODES = 1300 };

static inline __attribute__((always_inline)) u32 make_address(u32 number)
{
    return (number & 0x0f00ff00) << 4 | (number >> 24 & 255) << 8 | (number & 255);
}

u64 routes(struct node *nodes, u64 length)
{
    u32 random = 19, used = 1;
    u64 misses = 0, sum = 0;

    nodes[0].child[0] = nodes[0].child[1] = nodes[0].route = 0;
    for (u32 i = 1; i <= PREFIXES; i++) {
        u32 address = make_address(next_random(&random));
        u32 bits = 4 + (next_random(&random) >> 16) % 25, at = 0;

        for (u32 bit = 0; bit < bits && used < NODES; bit++) {
            u32 side = address >> (31 - bit) & 1;

            if (!nodes[at].child[side]) {
                nodes[used].child[0] = nodes[used].child[1] = nodes[used].route = 0;
                nodes[at].child[side] = used++;
            }
            at = nodes[at].child[side];
        }
        nodes[at].route = i;
    }
    for (u32 i = 0; i < LOOKUPS; i++) {
        u32 address = make_address(next_random(&random)), at = 0, found = 0, bit = 31;

        do {
            at = nodes[at].child[address >> bit & 1];
            if (nodes[at].route && at)
                found = nodes[at].route;
            bit--;
        } while (at);
        if (!found)
            misses++;
        sum = sum * 5 + found;
    }
    return misses << 48 | (u64)used << 32 | (u32)sum;
}
