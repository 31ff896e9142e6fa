/* Fills the memory with pseudo-random words and hashes it: XXH64, whose four lanes do not depend
 * on each other. The length must be a multiple of 32. */
#include "program.h"

static const u64 prime1 = 0x9e3779b185ebca87ull, prime2 = 0xc2b2ae3d27d4eb4full;
static const u64 prime3 = 0x165667b19e3779f9ull, prime4 = 0x85ebca77c2b2ae63ull;

static inline __attribute__((always_inline)) u64 rotate(u64 x, u32 by)
{
    return x << by | x >> (64 - by);
}

static inline __attribute__((always_inline)) u64 round64(u64 lane, u64 word)
{
    return rotate(lane + word * prime2, 31) * prime1;
}

static inline __attribute__((always_inline)) u64 merge(u64 hash, u64 lane)
{
    return (hash ^ round64(0, lane)) * prime1 + prime4;
}

u64 xxh64(u64 *words, u64 length)
{
    u64 a = prime1 + prime2, b = prime2, c = 0, d = 0 - prime1, hash;
    u32 random = 5;

    for (u64 i = 0; i < length / 8; i++)
        words[i] = (u64)next_random(&random) << 32 | next_random(&random);
    for (u64 i = 0; i < length / 8; i += 4) {
        a = round64(a, words[i]);
        b = round64(b, words[i + 1]);
        c = round64(c, words[i + 2]);
        d = round64(d, words[i + 3]);
    }
    hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
    hash = merge(merge(merge(merge(hash, a), b), c), d) + length;
    hash = (hash ^ hash >> 33) * prime2;
    hash = (hash ^ hash >> 29) * prime3;
    return hash ^ hash >> 32;
}
