// Scans slides of a microscope one after the other: each is put into a picture, smoothed along its
// rows, and its mean is printed.
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 9000
#define HEIGHT 4200

static void scan(unsigned char *picture, unsigned seed) {
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i += 8) {
        seed = seed * 1664525u + 1013904223u;
        picture[i] = seed >> 24;
    }
}

static unsigned long mean(const unsigned char *picture) {
    unsigned long sum = 0;
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i += 8) {
        sum += picture[i];
    }
    return sum / ((size_t)WIDTH * HEIGHT / 8);
}

int main(void) {
    unsigned long total = 0;
#ifndef FRESH
    unsigned char *picture = malloc((size_t)WIDTH * HEIGHT);
#endif
    for (unsigned slide = 0; slide < 12; slide++) {
#ifdef FRESH
        unsigned char *picture = malloc((size_t)WIDTH * HEIGHT);
#endif
        scan(picture, slide);
        total += mean(picture);
#ifdef FRESH
        free(picture);
#endif
    }
    printf("%lu\n", total);
    return 0;
}
