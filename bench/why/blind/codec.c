/* An image codec: predicts pixels from their neighbours, transforms blocks, searches for motion. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 1024
#define HEIGHT 768

#ifdef EXTENDED
typedef long double real;
#else
typedef double real;
#endif

int unfilter(uint8_t *rows, int width, int height);
uint8_t paeth(int left, int above, int corner);
uint8_t wrapped(int value);

#ifndef CALLER
/* The library: Paeth's predictor of PNG and what undoes it. */
uint8_t wrapped(int value) { return (uint8_t)(value & 255); }

uint8_t paeth(int left, int above, int corner) {
    int guess = left + above - corner;
    int a = abs(guess - left), b = abs(guess - above), c = abs(guess - corner);
    int near = b <= c ? above : corner;
    return (a <= b) & (a <= c) ? left : near;
}

int unfilter(uint8_t *rows, int width, int height) {
    int sum = 0;
    for (int y = 1; y < height; y++) {
        uint8_t *row = rows + y * width, *above = row - width;
        for (int x = 1; x < width; x++) {
            row[x] = wrapped(row[x] + paeth(row[x - 1], above[x], above[x - 1]));
            sum += wrapped(row[x] ^ above[x]);
        }
    }
    return sum;
}
#endif

#ifndef LIBRARY
static real cosines[8][8];
static uint8_t image[WIDTH * HEIGHT];
static uint8_t visited[1 << 16];

/* The sum of squares of the DCT of each block of eight pixels. */
__attribute__((noinline)) static double transform(const uint8_t *pixels, int count) {
    real energy = 0;
    for (int at = 0; at + 8 <= count; at += 8) {
        for (int k = 0; k < 8; k++) {
            real sum = 0;
            for (int i = 0; i < 8; i++) sum += pixels[at + i] * cosines[k][i];
            energy += sum * sum;
        }
    }
    return (double)energy;
}

struct vector {
    int32_t x, y;
};

__attribute__((noinline)) static uint32_t slot(const struct vector *v) {
    uint64_t both;
    memcpy(&both, v, sizeof both);
    return (uint32_t)((both * 0x9e3779b97f4a7c15u) >> 48);
}

/* Follows a walk of motion vectors, each found from where the one before is kept. */
__attribute__((noinline)) static int search(int steps) {
    struct vector v = {3, 5};
    int seen = 0;
    for (int i = 0; i < steps; i++) {
        uint32_t at = slot(&v);
        seen += visited[at] == 0;
        visited[at] = 1;
        int32_t x = (int32_t)(at & 1023) + (i & 7), y = (int32_t)(at >> 6) - (i & 3);
#ifdef HALVES
        v.x = x;
        v.y = y;
#else
        uint64_t both = (uint32_t)x | (uint64_t)(uint32_t)y << 32;
        memcpy(&v, &both, sizeof v);
#endif
    }
    return seen;
}

int main(void) {
    unsigned state = 12345;
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 8; i++) cosines[k][i] = cos((2 * i + 1) * k * 3.14159265358979 / 16);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        state = state * 1103515245u + 12345u;
        image[i] = (uint8_t)((i % WIDTH) / 8 + ((state >> 20) & 15));
    }
    double energy = 0;
    int sum = 0;
    for (int frame = 0; frame < 4; frame++) {
        energy += transform(image, WIDTH * HEIGHT);
        for (int pass = 0; pass < 3; pass++) sum += unfilter(image, WIDTH, HEIGHT);
    }
    printf("%.0f %d %d\n", energy / 1e6, sum, search(5000000));
    return 0;
}
#endif
