/* Tricks with bits on 500 pseudo-random numbers: count, reverse, Gray code, interleave, parity, the
 * next number with as many bits. Returns a hash of all results. */
#include "program.h"

static inline __attribute__((always_inline)) u64 count(u64 x)
{
    x -= x >> 1 & 0x5555555555555555ull;
    x = (x & 0x3333333333333333ull) + (x >> 2 & 0x3333333333333333ull);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
    return x * 0x0101010101010101ull >> 56;
}

static inline __attribute__((always_inline)) u64 reverse(u64 x)
{
    x = (x >> 1 & 0x5555555555555555ull) | (x & 0x5555555555555555ull) << 1;
    x = (x >> 2 & 0x3333333333333333ull) | (x & 0x3333333333333333ull) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0full) | (x & 0x0f0f0f0f0f0f0f0full) << 4;
    return __builtin_bswap64(x);
}

static inline __attribute__((always_inline)) u64 spread(u64 x)
{
    x = (x | x << 16) & 0x0000ffff0000ffffull;
    x = (x | x << 8) & 0x00ff00ff00ff00ffull;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0full;
    x = (x | x << 2) & 0x3333333333333333ull;
    return (x | x << 1) & 0x5555555555555555ull;
}

u64 bits(void *memory, u64 length)
{
    u64 hash = 0;
    u32 random = 30;

    for (u32 i = 0; i < 500; i++) {
        u32 low = next_random(&random), high = next_random(&random), lowest, ripple;
        u64 wide = (u64)high << 32 | low, gray = wide ^ wide >> 1;

        hash = (hash << 9 | hash >> 55) ^ reverse(wide) ^ count(gray);
        hash += spread(low) | spread(high) << 1;
        low |= 1u << (i & 31);
        low &= 0x7fffffff;
        lowest = low & (0 - low);
        if (lowest) {
            ripple = low + lowest;
            hash ^= ripple | ((low ^ ripple) >> 2) >> count(lowest - 1);
        }
        high ^= high >> 16;
        high ^= high >> 8;
        high ^= high >> 4;
        high ^= high >> 2;
        hash += (high ^ high >> 1) & 1;
    }
    return hash;
}
