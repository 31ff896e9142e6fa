/* Multiplies matrices of 16 x 16 numbers of 32 bits modulo 2^32, and of 64 bits modulo the prime
 * 2^31 - 1, and returns a polynomial over the entries of the products. */
#include "../program.h"

enum { SIZE = 16 };

static inline __attribute__((always_inline)) void multiply32(const u32 *a, const u32 *b, u32 *product)
{
    for (u32 i = 0; i < SIZE; i++)
        for (u32 j = 0; j < SIZE; j++) {
            u32 sum = 0;

            for (u32 k = 0; k < SIZE; k++)
                sum += a[i * SIZE + k] * b[k * SIZE + j];
            product[i * SIZE + j] = sum;
        }
}

static inline __attribute__((always_inline)) void multiply_mod(const u32 *a, const u32 *b, u64 *product)
{
    for (u32 i = 0; i < SIZE; i++)
        for (u32 j = 0; j < SIZE; j++) {
            u64 sum = 0;

            for (u32 k = 0; k < SIZE; k++)
                sum = (sum + (u64)a[i * SIZE + k] * b[j * SIZE + k]) % 0x7fffffff;
            product[i * SIZE + j] = sum;
        }
}

u64 matrix(u32 *memory, u64 length)
{
    u32 *a = memory, *b = a + SIZE * SIZE, *c = b + SIZE * SIZE;
    u64 *d = (u64 *)(c + SIZE * SIZE), sum = 0;
    u32 random = 10;

    for (u32 i = 0; i < 2 * SIZE * SIZE; i++)
        a[i] = next_random(&random) >> 1;
    multiply32(a, b, c);
    multiply_mod(a, b, d);
    for (u32 i = 0; i < SIZE * SIZE; i++)
        sum = (sum * 31 + c[i]) * 31 + d[i];
    return sum;
}
