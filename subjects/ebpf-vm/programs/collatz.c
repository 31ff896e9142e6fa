/* The longest chain of halving and 3n+1 that starts below 400: start << 32 | steps. */
#include "program.h"

u64 collatz(void *memory, u64 length)
{
    u64 best = 0, best_steps = 0;

    for (u64 start = 1; start < 400; start++) {
        u64 n = start, steps = 0;

        while (n != 1) {
            n = n & 1 ? 3 * n + 1 : n >> 1;
            steps++;
        }
        if (steps > best_steps) {
            best_steps = steps;
            best = start;
        }
    }
    return best << 32 | best_steps;
}
