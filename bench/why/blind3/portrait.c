// Changes brightness and contrast of a picture by a curve, frame after frame, and counts how many
// pixels of each brightness there are.
#include <stdio.h>
#include <stdlib.h>

struct image {
    int width, height, stride;
    unsigned char *pixels;
};

struct curve {
    int gain, offset;
};

#ifndef OTHER
static unsigned state = 12345;

static unsigned drawn(void) {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static struct image blank(int width, int height) {
    struct image image = {width, height, width, malloc((size_t)width * height)};
    return image;
}
#endif

#if defined PLAIN
__attribute__((noinline)) static void adjust(struct image *to, const struct image *from,
                                             const struct curve *curve) {
    for (int y = 0; y < from->height; y++) {
        for (int x = 0; x < from->width; x++) {
            int value = (from->pixels[y * from->stride + x] * curve->gain >> 8) + curve->offset;
            to->pixels[y * to->stride + x] = value < 0 ? 0 : value > 255 ? 255 : value;
        }
    }
}
#elif !defined OTHER
__attribute__((noinline)) static void adjust(struct image *to, const struct image *from,
                                             const struct curve *curve) {
    const int gain = curve->gain, offset = curve->offset, width = from->width;
    for (int y = 0; y < from->height; y++) {
        const unsigned char *restrict in = from->pixels + y * from->stride;
        unsigned char *restrict out = to->pixels + y * to->stride;
        for (int x = 0; x < width; x++) {
            int value = (in[x] * gain >> 8) + offset;
            out[x] = value < 0 ? 0 : value > 255 ? 255 : value;
        }
    }
}
#endif

__attribute__((noinline)) static void count(const struct image *image, long *counts) {
    for (int i = 0; i < image->width * image->height; i += 4) {
        counts[image->pixels[i]]++;
    }
}

#ifdef OTHER
__attribute__((noinline)) static void apply_curve(struct image *target, const struct image *source,
                                                  const struct curve *c) {
    const int factor = c->gain, shift = c->offset, columns = source->width;
    int row = 0;
    while (row < source->height) {
        const unsigned char *restrict read = source->pixels + row * source->stride;
        unsigned char *restrict write = target->pixels + row * target->stride;
        for (int column = 0; column < columns; ++column) {
            int bright = (factor * read[column] >> 8) + shift;
            write[column] = bright < 0 ? 0 : bright > 255 ? 255 : bright;
        }
        ++row;
    }
}
#define adjust apply_curve

static struct image blank(int columns, int rows) {
    struct image made;
    made.pixels = malloc((size_t)columns * rows);
    made.stride = made.width = columns;
    made.height = rows;
    return made;
}

static unsigned seed = 12345;

static unsigned drawn(void) {
    seed = 1013904223u + 1664525u * seed;
    return seed / 256;
}
#endif

int main(void) {
    struct image photo = blank(1200, 800), shown = blank(1200, 800);
    for (int i = 0; i < 1200 * 800; i++) {
        photo.pixels[i] = drawn();
    }
    long counts[256] = {0};
    for (int frame = 0; frame < 160; frame++) {
        struct curve curve = {200 + frame, frame - 60};
        adjust(&shown, &photo, &curve);
        count(&shown, counts);
    }
    long sum = 0;
    for (int i = 0; i < 256; i++) {
        sum = sum * 31 + counts[i];
    }
    printf("%ld\n", sum);
    return 0;
}
