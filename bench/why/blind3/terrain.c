// Flow of water over a terrain by a law of the slope between neighbours,
// and how much of it lies below the level of the water.
#include <stdio.h>
#include <string.h>

#define SIZE 1536

static float height[SIZE][SIZE];
static float water[SIZE][SIZE];

static double linear(double slope) { return slope; }
static double cubic(double slope) { return slope * slope * slope; }

#ifdef POINTER
static double (*flow)(double) = cubic;
#else
#define flow cubic
#endif

__attribute__((noinline)) static void survey(void) {
    for (int y = 0; y < SIZE; y++) {
        for (int x = 0; x + 1 < SIZE; x++) {
            water[y][x] += flow(height[y][x + 1] - height[y][x]);
        }
    }
}

__attribute__((noinline)) static long shores(float level) {
    long count = 0;
#ifdef COLUMNS
    for (int x = 0; x < SIZE; x++) {
        for (int y = 0; y < SIZE; y++) {
            count += height[y][x] < level;
        }
    }
#else
    for (int y = 0; y < SIZE; y++) {
        for (int x = 0; x < SIZE; x++) {
            count += height[y][x] < level;
        }
    }
#endif
    return count;
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "linear")) {
#ifdef POINTER
        flow = linear;
#else
        return linear(0) + 2;
#endif
    }
    unsigned state = 17;
    for (int y = 0; y < SIZE; y++) {
        for (int x = 0; x < SIZE; x++) {
            state = state * 1664525u + 1013904223u;
            height[y][x] = (state >> 12) * 1e-5f;
        }
    }
    long land = 0;
    for (int season = 0; season < 20; season++) {
        survey();
        if (season % 3 == 0) {
            land += shores(season * 0.4f);
        }
    }
    double sum = 0;
    for (int y = 0; y < SIZE; y++) {
        for (int x = 0; x < SIZE; x++) {
            sum += water[y][x];
        }
    }
    printf("%.6e %ld\n", sum, land);
    return 0;
}
