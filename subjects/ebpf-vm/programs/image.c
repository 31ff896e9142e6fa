/* A picture of 56 x 40 grey points: blurred 3 x 3 with weights 1 2 1, edges by Sobel, the threshold
 * by its mean, and run lengths of what is left. Returns runs << 48 | points << 32 | a hash. */
#include "program.h"

enum { WIDTH = 56, HEIGHT = 40 };

typedef int s32;

u64 image(u8 *picture, u64 length)
{
    u8 *soft = picture + WIDTH * HEIGHT, *edges = soft + WIDTH * HEIGHT, last = 0;
    u32 random = 36, mean = 0, run = 0;
    u64 runs = 0, points = 0, hash = 0;

    for (u32 y = 0; y < HEIGHT; y++)
        for (u32 x = 0; x < WIDTH; x++) {
            u32 noise = next_random(&random) >> 27;

            picture[y * WIDTH + x] = (x * 3 ^ y * 5) + noise;
            soft[y * WIDTH + x] = edges[y * WIDTH + x] = 0;
        }
    for (u32 y = 1; y + 1 < HEIGHT; y++)
        for (u32 x = 1; x + 1 < WIDTH; x++) {
            const u8 *at = picture + y * WIDTH + x;
            u32 sum = at[-WIDTH - 1] + 2 * at[-WIDTH] + at[-WIDTH + 1];

            sum += 2 * at[-1] + 4 * at[0] + 2 * at[1];
            sum += at[WIDTH - 1] + 2 * at[WIDTH] + at[WIDTH + 1];
            soft[y * WIDTH + x] = sum / 16;
        }
    for (u32 y = 2; y + 2 < HEIGHT; y++)
        for (u32 x = 2; x + 2 < WIDTH; x++) {
            const u8 *at = soft + y * WIDTH + x;
            s32 across = at[1 - WIDTH] - at[-1 - WIDTH] + 2 * (at[1] - at[-1]) + at[WIDTH + 1] - at[WIDTH - 1];
            s32 down = at[WIDTH - 1] - at[-WIDTH - 1] + 2 * (at[WIDTH] - at[-WIDTH]) + at[WIDTH + 1] - at[1 - WIDTH];
            s32 edge = (across < 0 ? -across : across) + (down < 0 ? -down : down);

            edges[y * WIDTH + x] = edge > 255 ? 255 : edge;
            mean += edge > 255 ? 255 : edge;
        }
    mean /= WIDTH * HEIGHT;
    for (u32 i = 0; i < WIDTH * HEIGHT; i++) {
        u8 set = edges[i] > mean;

        points += set;
        if (set == last) {
            run++;
            continue;
        }
        runs++;
        hash = hash * 31 + run;
        run = 1;
        last = set;
    }
    return runs << 48 | points << 32 | (hash & 0xffffffff);
}
