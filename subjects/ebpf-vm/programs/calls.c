/* Small functions that are really called: a polynomial, a triangle's area by its corners, the
 * minimum of three, in 1500 steps of a walk. Returns a hash of what they return. */
#include "program.h"

typedef long long s64;

static __attribute__((noinline)) u64 polynomial(u64 x, u64 a, u64 b, u64 c)
{
    return (a * x + b) * x + c;
}

static __attribute__((noinline)) s64 smallest(s64 a, s64 b, s64 c)
{
    if (b < a)
        a = b;
    return c < a ? c : a;
}

static __attribute__((noinline)) s64 area(const s64 *corners)
{
    s64 sum = 0;

    for (u32 i = 0; i < 3; i++) {
        u32 next = i == 2 ? 0 : i + 1;

        sum += corners[2 * i] * corners[2 * next + 1] - corners[2 * next] * corners[2 * i + 1];
    }
    return smallest(sum, 0 - sum, 1000000);
}

u64 calls(void *memory, u64 length)
{
    s64 corners[6] = {0, 0, 100, 3, 50, 80}, x = 0, y = 0;
    u64 hash = 0;
    u32 random = 34;

    for (u32 i = 0; i < 1500; i++) {
        u32 number = next_random(&random) >> 16;

        x += (number & 15) - 7;
        y += (number >> 4 & 15) - 7;
        corners[0] = x;
        corners[1] = y;
        hash = hash * 31 + (u64)area(corners);
        hash ^= polynomial((u64)x, 3, (u64)y, i);
    }
    return hash;
}
