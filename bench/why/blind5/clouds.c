/* Draws clouds: noise of several scales between the corners of a grid. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 640, HEIGHT = 400, SCALES = 4 };

static float corner(int x, int y) {
    unsigned h = (unsigned)x * 374761393u + (unsigned)y * 668265263u;
    h = (h ^ h >> 13) * 1274126177u;
    return (float)(h >> 8) / 16777216.0f;
}

static float eased(float t) { return t * t * (3 - 2 * t); }

static float between(float a, float b, float t) { return fmaf(b - a, t, a); }

static float noise(float x, float y) {
    float left = (float)(int)x, top = (float)(int)y;
    float u = eased(x - left), v = eased(y - top);
    int i = (int)left, j = (int)top;
    float above = between(corner(i, j), corner(i + 1, j), u);
    float below = between(corner(i, j + 1), corner(i + 1, j + 1), u);
    return between(above, below, v);
}

static float density(float x, float y) {
    float sum = 0, part = 0.5f;
    for (int s = 0; s < SCALES; s++) {
        sum += noise(x, y) * part;
        x *= 2.03f;
        y *= 1.97f;
        part /= 2;
    }
    return sum;
}

static void draw(unsigned char *picture, float wind) {
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            float d = density((float)x / 40 + wind, (float)y / 40);
            d = (d - 0.35f) * 2;
            picture[y * WIDTH + x] = (unsigned char)(d < 0 ? 0 : d > 1 ? 255 : d * 255);
        }
}

int main(void) {
    unsigned char *picture = malloc((size_t)WIDTH * HEIGHT);
    long sum = 0;
    for (int frame = 0; frame < 40; frame++) {
        draw(picture, (float)frame * 0.7f);
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            sum += picture[i];
    }
    printf("brightness %.2f\n", (double)sum / 40 / (WIDTH * HEIGHT));
    free(picture);
    return 0;
}
