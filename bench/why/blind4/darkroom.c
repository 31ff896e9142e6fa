/* Develops a picture in grey: exposure, blur of three rows, contrast; can be cancelled. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 1536
#define HEIGHT 512
#define ROUNDS 150

#ifdef CANCEL
static volatile int cancelled;
#define GO_ON && !cancelled
#else
static int cancelled;
#define GO_ON
#endif

static uint16_t *new_plane(void)
{
    uint16_t *plane = calloc((size_t)WIDTH * HEIGHT, sizeof *plane);
    if (!plane) {
        perror("calloc");
        exit(1);
    }
    return plane;
}

static void load(uint16_t *plane)
{
    uint32_t state = 2463534242u;
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        plane[i] = state & 4095;
    }
}

static void blur_row(uint16_t *restrict out, const uint16_t *restrict above,
                     const uint16_t *restrict here, const uint16_t *restrict below)
{
    for (int x = 0; x < WIDTH GO_ON; x++)
        out[x] = (above[x] + 2 * here[x] + below[x]) / 4;
}

static void contrast_row(uint16_t *restrict out, const uint16_t *restrict in, int middle)
{
    for (int x = 0; x < WIDTH GO_ON; x++) {
        int value = in[x] + (in[x] - middle) / 8;
        value = value < 0 ? 0 : value;
        out[x] = value > 4095 ? 4095 : value;
    }
}

static int develop(uint16_t *picture, uint16_t *scratch)
{
    for (int y = 1; y < HEIGHT - 1; y++) {
        const uint16_t *row = picture + (size_t)y * WIDTH;
        blur_row(scratch + (size_t)y * WIDTH, row - WIDTH, row, row + WIDTH);
    }
    for (int y = 1; y < HEIGHT - 1; y++) {
        size_t at = (size_t)y * WIDTH;
        contrast_row(picture + at, scratch + at, 2048);
    }
    return cancelled ? -1 : 0;
}

static uint64_t sum(const uint16_t *plane)
{
    uint64_t total = 0;
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++)
        total = total * 31 + plane[i];
    return total;
}

int main(void)
{
    uint16_t *picture = new_plane();
    uint16_t *scratch = new_plane();
    load(picture);
    for (int round = 0; round < ROUNDS; round++)
        if (develop(picture, scratch) < 0) {
            fputs("cancelled\n", stderr);
            return 1;
        }
    printf("%016llx\n", (unsigned long long)sum(picture));
    free(scratch);
    free(picture);
    return 0;
}
