/* An atlas: maps of few marks on large grids, and heights. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef MAPS
#define MAPS 1
#endif
enum { WIDE = 4000, HIGH = 6000, MARKS = 200, HEIGHTS = 4000000 };

static unsigned seed = 5;

static unsigned drawn(unsigned below)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 8) % below;
}

__attribute__((noinline)) static void cleared(uint16_t *grid)
{
    memset(grid, 0, sizeof *grid * WIDE * HIGH);
}

static unsigned marked(void)
{
    unsigned sum = 0;
    for (int map = 0; map < MAPS; map++) {
#ifdef CLEARED
        uint16_t *grid = malloc(sizeof *grid * WIDE * HIGH);
        if (!grid)
            exit(1);
        cleared(grid);
#else
        uint16_t *grid = calloc((size_t)WIDE * HIGH, sizeof *grid);
        if (!grid)
            exit(1);
        if (map >= MAPS)
            cleared(grid);
#endif
        for (int i = 0; i < MARKS; i++) {
            unsigned x = drawn(WIDE), y = drawn(HIGH / 20);
            sum += grid[y * WIDE + x]++;
            sum += grid[y * WIDE + drawn(WIDE)];
        }
        free(grid);
    }
    return sum;
}

static uint32_t heights(void)
{
    uint32_t height = 1;
    for (int i = 0; i < HEIGHTS; i++)
        height = (height ^ height >> 15) * 2246822519u + 77;
    return height;
}

int main(void)
{
    unsigned marks = marked();
    uint32_t sum = 0;
    for (int i = 0; i < 12; i++)
        sum += heights();
    printf("%u %u\n", marks, sum);
    return 0;
}
