/* SipHash-2-4 of 240 messages of 0 to 63 bytes, as a hash table would ask for it, with the key
 * 00 01 ... 0f; returns the xor of all hashes, each times its odd number. */
#include "../program.h"

enum { MESSAGES = 240 };

static inline __attribute__((always_inline)) u64 rotate(u64 x, u32 by)
{
    return x << by | x >> (64 - by);
}

#define ROUND                                                                                      \
    do {                                                                                           \
        v0 += v1, v1 = rotate(v1, 13) ^ v0, v0 = rotate(v0, 32);                                   \
        v2 += v3, v3 = rotate(v3, 16) ^ v2;                                                        \
        v0 += v3, v3 = rotate(v3, 21) ^ v0;                                                        \
        v2 += v1, v1 = rotate(v1, 17) ^ v2, v2 = rotate(v2, 32);                                   \
    } while (0)

static inline __attribute__((always_inline)) u64 hash(const u8 *message, u64 length)
{
    const u64 k0 = 0x0706050403020100ull, k1 = 0x0f0e0d0c0b0a0908ull;
    u64 v0 = k0 ^ 0x736f6d6570736575ull, v1 = k1 ^ 0x646f72616e646f6dull;
    u64 v2 = k0 ^ 0x6c7967656e657261ull, v3 = k1 ^ 0x7465646279746573ull, last = length << 56;
    u64 whole = length & ~7ull;

    for (u64 at = 0; at < whole; at += 8) {
        u64 word = *(const u64 *)(message + at);

        v3 ^= word;
        ROUND;
        ROUND;
        v0 ^= word;
    }
    for (u64 at = whole; at < length; at++)
        last |= (u64)message[at] << 8 * (at & 7);
    v3 ^= last;
    ROUND;
    ROUND;
    v0 ^= last;
    v2 ^= 0xff;
    ROUND;
    ROUND;
    ROUND;
    ROUND;
    return v0 ^ v1 ^ v2 ^ v3;
}

u64 siphash(u8 *memory, u64 length)
{
    u64 sum = 0;

    for (u64 i = 0; i < 64; i++)
        memory[i] = i;
    for (u64 i = 0; i < MESSAGES; i++)
        sum ^= hash(memory, i & 63) * (2 * i + 1);
    return sum;
}
