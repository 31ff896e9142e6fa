/* Conway's game of life on a torus of 64 x 64 cells, a word a row: 24 generations from a
 * pseudo-random start, counted with adders of bits. Returns living cells << 32 | a hash. */
#include "program.h"

enum { ROWS = 64 };

static inline __attribute__((always_inline)) u64 rotate(u64 x, u32 by)
{
    return x << by | x >> (64 - by);
}

u64 life(u64 *rows, u64 length)
{
    u64 *next = rows + ROWS, living = 0, hash = 0;
    u32 random = 20;

    for (u32 i = 0; i < ROWS; i++)
        rows[i] = (u64)next_random(&random) << 32 | next_random(&random);
    for (u32 generation = 0; generation < 24; generation++) {
        for (u32 i = 0; i < ROWS; i++) {
            const u64 around[3] = {rows[(i - 1) % ROWS], rows[i], rows[(i + 1) % ROWS]};
            u64 ones = 0, twos = 0, fours = 0;

            for (u32 j = 0; j < 3; j++)
                for (u32 turn = 0; turn < 3; turn++) {
                    u64 neighbour = turn == 0 ? rotate(around[j], 1) : around[j], carry;

                    if (turn == 1)
                        neighbour = rotate(around[j], 63);
                    if (turn == 2 && j == 1)
                        continue;
                    carry = ones & neighbour;
                    ones ^= neighbour;
                    neighbour = twos & carry;
                    twos ^= carry;
                    fours |= neighbour;
                }
            next[i] = twos & ~fours & (ones | rows[i]);
        }
        for (u32 i = 0; i < ROWS; i++)
            rows[i] = next[i];
    }
    for (u32 i = 0; i < ROWS; i++) {
        hash = (hash ^ rows[i]) * 0x9e3779b97f4a7c15ull;
        for (u64 row = rows[i]; row; row &= row - 1)
            living++;
    }
    return living << 32 | hash >> 32;
}
