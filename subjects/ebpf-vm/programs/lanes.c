/* Eight independent 64-bit congruential generators, 3000 numbers each, all added up in the end. No
 * instruction has to wait for the one before it, so the interpreter itself is what takes time. */
#include "program.h"

#define STEP(lane) lane = lane * 1664525 + 1013904223

u64 lanes(void *memory, u64 length)
{
    u64 a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;

    for (u32 i = 0; i < 3000; i++) {
        STEP(a);
        STEP(b);
        STEP(c);
        STEP(d);
        STEP(e);
        STEP(f);
        STEP(g);
        STEP(h);
    }
    return a + b + c + d + e + f + g + h;
}
