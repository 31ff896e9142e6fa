/* Scans of pages: compared with the page before. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 1200, HIGH = 900, SIZE = WIDE * HIGH };

#ifndef ROUNDS
#define ROUNDS 200
#endif

static uint8_t page[SIZE + 64], before[SIZE + 64];

static void drawn(uint8_t *to, unsigned seed)
{
    for (int i = 0; i < SIZE; i++) {
        seed = seed * 1664525 + 1013904223;
        to[i] = (uint8_t)(seed >> 24);
    }
}

/* How many points of a row differ from the page before by more than `limit`. */
static int differing(const uint8_t *a, const uint8_t *b, int wide, int limit, int enough)
{
    int found = 0;
#ifdef STOPS
    for (int i = 0; i < wide; i++) {
        int by = a[i] - b[i];
        if (by < 0)
            by = -by;
        found += by > limit;
        if (found > enough)
            break;
    }
#else
    for (int i = 0; i < wide; i++) {
        int by = a[i] - b[i];
        if (by < 0)
            by = -by;
        found += by > limit;
    }
    if (found > enough)
        found = enough + 1;
#endif
    return found;
}

int main(void)
{
    drawn(before, 5);
    memcpy(page, before, SIZE);
    for (int i = 0; i < SIZE; i += 37)
        page[i] ^= 0x60;
    long changed = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int y = 0; y < HIGH; y++) {
            changed += differing(page + y * WIDE, before + y * WIDE, WIDE, 20 + round % 3, 900);
        }
    }
    printf("%ld\n", changed);
}
