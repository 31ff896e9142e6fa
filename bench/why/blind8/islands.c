/* Which fields belong together: a map of fences, and whose ground is whose. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 1100, FIELDS = SIDE * SIDE };

struct owner {
#ifdef NARROW
    uint64_t size : 27, fences : 13, kind : 5, seen : 19;
#else
    uint32_t size, fences, kind, seen;
#endif
};

static int32_t parent[FIELDS];
static struct owner owners[256];
static unsigned seed = 3;

static unsigned drawn(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed >> 8;
}

static int32_t found(int32_t field)
{
#ifdef PLAIN
    while (parent[field] != field)
        field = parent[field];
#else
    while (parent[field] != field) {
        parent[field] = parent[parent[field]];
        field = parent[field];
    }
#endif
    return field;
}

static void joined(int32_t a, int32_t b)
{
    a = found(a), b = found(b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

static void counted(int rounds)
{
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < 4000; i++) {
            struct owner *one = &owners[i & 255];
            one->size += 3;
            one->fences += (unsigned)(i >> 9) & 1;
            one->kind = (one->kind + 1) & 31;
            one->seen += one->kind & 1;
            one->size &= 0x7ffffff;
            one->fences &= 0x1fff;
            one->seen &= 0x7ffff;
        }
}

int main(void)
{
    int groups = 0;
    uint64_t sum = 0;
#ifdef COUNTS
    counted(COUNTS);
    for (int i = 0; i < 256; i++)
        sum = sum * 31 + owners[i].size + owners[i].fences * 7 + owners[i].kind + owners[i].seen * 3;
#else
    for (int i = 0; i < FIELDS; i++)
        parent[i] = i;
    for (int i = 0; i < FIELDS; i++) {
        int32_t at = (int32_t)(drawn() % (FIELDS - SIDE - 1));
        if (at % SIDE != SIDE - 1)
            joined(at, drawn() % 2 ? at + 1 : at + SIDE);
    }
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < FIELDS; i++)
            sum += (uint64_t)found(i) * (unsigned)(i & 15);
    for (int i = 0; i < FIELDS; i++)
        groups += parent[i] == i;
#endif
    printf("%d %llu\n", groups, (unsigned long long)sum);
}
