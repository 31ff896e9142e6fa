/* Numbers of 256 bits in words of 32: 7^e modulo 2^255 - 19 for a pseudo-random e of 24 bits, by
 * squaring and multiplying; returns the two lowest words. The memory holds the numbers. */
#include "../program.h"

enum { WORDS = 8 };

/* A product of 512 bits, folded: 2^256 is 38 here. */
static __attribute__((noinline)) void multiply(const u32 *a, const u32 *b, u32 *result, u32 *wide)
{
    u64 carry;

    for (u32 i = 0; i < 2 * WORDS; i++)
        wide[i] = 0;
    for (u32 i = 0; i < WORDS; i++) {
        carry = 0;
        for (u32 j = 0; j < WORDS; j++) {
            carry += (u64)a[i] * b[j] + wide[i + j];
            wide[i + j] = carry;
            carry >>= 32;
        }
        wide[i + WORDS] = carry;
    }
    carry = 0;
    for (u32 i = 0; i < WORDS; i++) {
        carry += (u64)wide[i + WORDS] * 38 + wide[i];
        wide[i] = carry;
        carry >>= 32;
    }
    carry *= 38;
    for (u32 i = 0; i < WORDS; i++) {
        carry += wide[i];
        result[i] = carry;
        carry >>= 32;
    }
    result[0] += (u32)carry * 38;
}

/* Below the prime, from anything of 256 bits. */
static inline __attribute__((always_inline)) void reduce(u32 *a, u32 *less)
{
    for (u32 round = 0; round < 2; round++) {
        u32 borrow = 0;

        for (u32 i = 0; i < WORDS; i++) {
            u64 word = i == 0 ? 0xffffffed : i == WORDS - 1 ? 0x7fffffff : 0xffffffff;
            u64 difference = a[i] - word - borrow;

            less[i] = difference;
            borrow = difference >> 63;
        }
        for (u32 i = 0; i < WORDS; i++)
            a[i] = borrow ? a[i] : less[i];
    }
}

u64 bignum(u32 *memory, u64 length)
{
    u32 *power = memory, *result = power + WORDS, *wide = result + WORDS, random = 17;
    u32 exponent = next_random(&random) >> 8;

    for (u32 i = 0; i < WORDS; i++)
        power[i] = result[i] = 0;
    power[0] = 7, result[0] = 1;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            multiply(result, power, result, wide);
        multiply(power, power, power, wide);
    }
    reduce(result, wide);
    return (u64)result[1] << 32 | result[0];
}
