/* A breadth-first search through a pseudo-random maze of 48 x 48 cells, from a corner to all that it
 * reaches: cells << 32 | sum of their distances. */
#include "program.h"

enum { SIDE = 48, WALL = 0xffff, UNSEEN = 0xfffe };

u64 maze(u16 *distance, u64 length)
{
    u16 *queue = distance + SIDE * SIDE;
    u32 random = 22, head = 0, tail = 0;
    u64 cells = 0, sum = 0;

    for (u32 y = 0; y < SIDE; y++)
        for (u32 x = 0; x < SIDE; x++) {
            u32 wall = x == 0 || y == 0 || x == SIDE - 1 || y == SIDE - 1;

            distance[y * SIDE + x] = wall || next_random(&random) >> 30 == 0 ? WALL : UNSEEN;
        }
    distance[SIDE + 1] = 0;
    queue[tail++] = SIDE + 1;
    while (head != tail) {
        u32 at = queue[head++];
        u32 here = distance[at];

        cells++;
        sum += here;
        for (u32 side = 0; side < 4; side++) {
            u32 next = side == 0 ? at - 1 : side == 1 ? at + 1 : side == 2 ? at - SIDE : at + SIDE;

            if (distance[next] != UNSEEN)
                continue;
            distance[next] = here + 1;
            queue[tail++] = next;
        }
    }
    return cells << 32 | sum;
}
