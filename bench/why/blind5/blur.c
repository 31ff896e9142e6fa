/* Blurs an elevation map from north to south and finds where it is steep. */
#include <stdio.h>
#include <stdlib.h>

#ifdef ROUND
enum { PITCH = 2048 };
#else
enum { PITCH = 2048 + 16 };
#endif
enum { WIDTH = 600, HEIGHT = 900, REACH = 12 };

static float *map(void) { return calloc((size_t)PITCH * HEIGHT, sizeof(float)); }

static void hills(float *land) {
    unsigned seed = 3;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            seed = seed * 1664525u + 1013904223u;
            land[y * PITCH + x] = (float)((x * y) % 313) + (float)(seed >> 24) / 16.0f;
        }
}

/* The mean of 2 REACH + 1 places of a column around each place. */
static void smooth(const float *land, float *out) {
    for (int y = REACH; y < HEIGHT - REACH; y++)
        for (int x = 0; x < WIDTH; x++) {
            float sum = 0;
            for (int d = -REACH; d <= REACH; d++)
                sum += land[(y + d) * PITCH + x];
            out[y * PITCH + x] = sum / (2 * REACH + 1);
        }
}

static long steep(const float *land, float limit) {
    long count = 0;
    for (int y = 1; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            float d = land[y * PITCH + x] - land[(y - 1) * PITCH + x];
            count += d > limit || d < -limit;
        }
    return count;
}

int main(void) {
    float *land = map(), *out = map();
    hills(land);
    long count = 0;
    for (int again = 0; again < 70; again++) {
        smooth(land, out);
        count += steep(out, 6.0f);
    }
    printf("steep %ld, middle %.3f\n", count, out[HEIGHT / 2 * PITCH + WIDTH / 2]);
    free(land);
    free(out);
    return 0;
}
