/* Which of 400 odd numbers of 31 bits are prime, by three rounds of Miller and Rabin, and greatest
 * common divisors of neighbours: primes << 32 | the sum of the divisors. */
#include "program.h"

static __attribute__((noinline)) u64 power(u64 base, u64 exponent, u64 modulus)
{
    u64 result = 1;

    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = result * base % modulus;
        base = base * base % modulus;
    }
    return result;
}

static inline __attribute__((always_inline)) u32 passes(u64 number, u64 base)
{
    u64 odd = number - 1, x;
    u32 twos = 0;

    while (!(odd & 1)) {
        odd >>= 1;
        twos++;
    }
    x = power(base, odd, number);
    if (x == 1 || x == number - 1)
        return 1;
    while (--twos) {
        x = x * x % number;
        if (x == number - 1)
            return 1;
    }
    return 0;
}

u64 primes(void *memory, u64 length)
{
    u64 count = 0, sum = 0, last = 1;
    u32 random = 29;

    for (u32 i = 0; i < 400; i++) {
        u64 number = next_random(&random) >> 1 | 1, a = number, b = last;

        if (passes(number, 2) && passes(number, 7) && passes(number, 61))
            count++;
        while (b) {
            u64 rest = a % b;

            a = b;
            b = rest;
        }
        sum += a;
        last = number;
    }
    return count << 32 | sum;
}
