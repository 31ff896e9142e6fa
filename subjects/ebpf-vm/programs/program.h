/* What the programs share. Each is one function, called with the address and the length of the
 * memory (--mem, --mem-size); its result is r0. */
#ifndef PROGRAM_H
#define PROGRAM_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

/* A linear congruential generator: the constants of Numerical Recipes. */
static inline __attribute__((always_inline)) u32 next_random(u32 *state)
{
    return *state = *state * 1664525u + 1013904223u;
}

#endif
