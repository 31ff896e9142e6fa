/* A Bloom filter of 8192 bits: 400 pseudo-random keys go in, 1000 are asked for. And the runs of set
 * bits in it are measured. Returns said to be there << 48 | bits set << 32 | longest run << 16 |
 * runs. */
#include "program.h"

enum { WORDS = 128, IN = 400, ASKED = 1000 };

static inline __attribute__((always_inline)) u64 stir(u64 key)
{
    key = (key ^ key >> 31) * 0x7fb5d329728ea185ull;
    key = (key ^ key >> 27) * 0x81dadef4bc2dd44dull;
    return key ^ key >> 33;
}

u64 bloom(u64 *words, u64 length)
{
    u64 said = 0, set = 0, longest = 0, runs = 0, run = 0;
    u32 random = 26;

    for (u32 i = 0; i < WORDS; i++)
        words[i] = 0;
    for (u32 i = 0; i < IN; i++) {
        u64 hash = stir(next_random(&random));

        for (u32 j = 0; j < 4; j++, hash >>= 13)
            words[hash >> 6 & (WORDS - 1)] |= 1ull << (hash & 63);
    }
    random = 26;
    for (u32 i = 0; i < ASKED; i++) {
        u64 hash = stir(next_random(&random));
        u32 there = 1;

        for (u32 j = 0; j < 4 && there; j++, hash >>= 13)
            there = words[hash >> 6 & (WORDS - 1)] >> (hash & 63) & 1;
        said += there;
    }
    for (u32 i = 0; i < WORDS; i++)
        for (u32 bit = 0; bit < 64; bit++) {
            if (words[i] >> bit & 1) {
                set++;
                run++;
                continue;
            }
            if (run) {
                runs++;
                longest = run > longest ? run : longest;
            }
            run = 0;
        }
    return said << 48 | set << 32 | longest << 16 | runs;
}
