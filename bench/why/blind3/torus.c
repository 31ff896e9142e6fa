// Conway's game of life on a torus of any size.
#include <stdio.h>
#include <stdlib.h>

#ifdef MODULO
static inline long after(long i, long size) { return (i + 1) % size; }
static inline long before(long i, long size) { return (i + size - 1) % size; }
#else
static inline long after(long i, long size) { return i + 1 == size ? 0 : i + 1; }
static inline long before(long i, long size) { return i == 0 ? size - 1 : i - 1; }
#endif

__attribute__((noinline)) static void step(const unsigned char *cells, unsigned char *next,
                                           long width, long height) {
    for (long y = 0; y < height; y++) {
        const unsigned char *up = cells + before(y, height) * width;
        const unsigned char *here = cells + y * width;
        const unsigned char *down = cells + after(y, height) * width;
        for (long x = 0; x < width; x++) {
            long left = before(x, width), right = after(x, width);
            int n = up[left] + up[x] + up[right] + here[left] + here[right] + down[left] +
                    down[x] + down[right];
            next[y * width + x] = n == 3 || (n == 2 && here[x]);
        }
    }
}

int main(int argc, char **argv) {
    int width = argc > 1 ? atoi(argv[1]) : 509, height = argc > 2 ? atoi(argv[2]) : 383;
    unsigned char *cells = malloc(width * height), *next = malloc(width * height);
    unsigned state = 99;
    for (int i = 0; i < width * height; i++) {
        state = state * 1664525u + 1013904223u;
        cells[i] = state >> 30 == 0;
    }
    for (int turn = 0; turn < 150; turn++) {
        step(cells, next, width, height);
        unsigned char *old = cells;
        cells = next;
        next = old;
    }
    int alive = 0;
    for (int i = 0; i < width * height; i++) {
        alive += cells[i];
    }
    printf("%d\n", alive);
    return 0;
}
