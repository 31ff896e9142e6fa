/* Fills the memory with pseudo-random words and hashes it eight times, each time seeded with the
 * hash before: 32-bit MurmurHash3. The length must be a multiple of four. */
#include "program.h"

static inline __attribute__((always_inline)) u32 rotate(u32 x, u32 by)
{
    return x << by | x >> (32 - by);
}

u64 murmur3(u32 *words, u64 length)
{
    u32 random = 2, hash = 0;

    for (u64 i = 0; i < length / 4; i++)
        words[i] = next_random(&random);
    for (u32 round = 0; round < 8; round++) {
        for (u64 i = 0; i < length / 4; i++) {
            hash ^= rotate(words[i] * 0xcc9e2d51u, 15) * 0x1b873593u;
            hash = rotate(hash, 13) * 5 + 0xe6546b64u;
        }
        hash ^= (u32)length;
        hash = (hash ^ hash >> 16) * 0x85ebca6bu;
        hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
        hash ^= hash >> 16;
    }
    return hash;
}
