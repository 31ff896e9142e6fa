/* Blends a picture into another one. */
#include <stdio.h>
#include <stdlib.h>

#ifndef QUALIFIER
#define QUALIFIER
#endif

struct picture {
    int width, height, count;
    int *pixels;
};

__attribute__((noinline)) void blend(struct picture *QUALIFIER into,
                                     const struct picture *QUALIFIER from,
                                     int *QUALIFIER target)
{
    for (int i = 0; i < from->count; i++)
        target[i] = (into->pixels[i] + from->pixels[i] + 1) >> 1;
}

int main(void)
{
    struct picture one = {128, 128, 128 * 128, malloc(128 * 128 * sizeof(int))};
    struct picture two = {128, 128, 128 * 128, malloc(128 * 128 * sizeof(int))};
    int *target = malloc(128 * 128 * sizeof(int));
    for (int i = 0; i < one.count; i++) {
        one.pixels[i] = i * 7 % 256;
        two.pixels[i] = i * 13 % 256;
    }
    long sum = 0;
    for (int round = 0; round < 10000; round++) {
        blend(&one, &two, target);
        sum += target[round];
    }
    printf("%ld\n", sum);
    return 0;
}
