/* The Mandelbrot set in fixed point of 28 bits behind the point, 40 x 24 points, at most 60 steps
 * each: the sum of the steps << 32 | a hash of them. */
#include "program.h"

typedef long long s64;

u64 mandelbrot(void *memory, u64 length)
{
    u64 total = 0, hash = 0;

    for (u32 row = 0; row < 24; row++)
        for (u32 column = 0; column < 40; column++) {
            const s64 a = (s64)column * (3ll << 28) / 40 - (2ll << 28);
            const s64 b = (s64)row * (5ll << 26) / 24 - (5ll << 25);
            s64 x = 0, y = 0;
            u32 steps = 0;

            while (steps < 60) {
                const s64 xx = x * x >> 28, yy = y * y >> 28;

                if (xx + yy > 4ll << 28)
                    break;
                y = (x * y >> 27) + b;
                x = xx - yy + a;
                steps++;
            }
            total += steps;
            hash = hash * 31 + steps;
        }
    return total << 32 | (hash & 0xffffffff);
}
