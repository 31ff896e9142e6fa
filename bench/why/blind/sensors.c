/* Reads sensor readings from text, names the file of each, and smooths them window by window. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef LINES
#define LINES 24000
#endif
#define WINDOW (1 << 18)

struct reading {
    int sensor;
    unsigned time;
    double value;
};

static unsigned next(unsigned *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

static char *synthesize(size_t lines, size_t *size) {
    char *text = malloc(lines * 40 + 1), *end = text;
    unsigned state = 2463534242u;
    for (size_t i = 0; i < lines; i++) {
        unsigned draw = next(&state);
        end += sprintf(end, "%u %zu %u.%02u\n", draw % 64, 1700000000 + i, draw >> 24, (draw >> 8) % 100);
    }
    *size = end - text;
    return text;
}

/* All lines of a text that ends in a zero. */
static size_t parse(const char *text, struct reading *out) {
    size_t count = 0;
    for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        struct reading *r = &out[count++];
#ifdef WHOLE
        const char *from = line;
#else
        char from[64];
        memcpy(from, line, end - line);
        from[end - line] = 0;
#endif
        if (sscanf(from, "%d %u %lf", &r->sensor, &r->time, &r->value) != 3) abort();
    }
    return count;
}

/* The name of the file that a reading belongs to, hashed: /data/NN/DAY. */
__attribute__((noinline)) static uint32_t file_of(const struct reading *r) {
    char path[2048];
    size_t n = 0;
    for (const char *s = "/data/"; *s; s++) path[n++] = *s;
    path[n++] = '0' + r->sensor / 10;
    path[n++] = '0' + r->sensor % 10;
    path[n++] = '/';
    for (unsigned day = r->time / 86400; day; day /= 10) path[n++] = '0' + day % 10;
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < n; i++) hash = (hash ^ (uint8_t)path[i]) * 16777619u;
    return hash;
}

/* Running means of the values of one window, in an area that the caller lends. */
static double smooth(const struct reading *all, size_t count, float *area, int turn) {
    float mean = 0;
    for (size_t i = 0; i < WINDOW; i++) {
        mean += 0.125f * ((float)all[(i + turn) % count].value - mean);
        area[i] = mean;
    }
    double sum = area[turn] + area[WINDOW - 1];
#ifdef PURGE
    madvise(area, WINDOW * sizeof *area, MADV_DONTNEED);
#endif
    return sum;
}

#ifdef OTHER
static double per_sensor(const struct reading *list, size_t n) {
    double totals[64];
    memset(totals, 0, sizeof totals);
    const struct reading *stop = list + n;
    while (list != stop) {
        totals[list->sensor] += list->value;
        ++list;
    }
    double highest = 0;
    for (int s = 63; s >= 0; s--)
        if (totals[s] > highest) highest = totals[s];
    return highest;
}
#else
static double per_sensor(const struct reading *all, size_t count) {
    double sums[64] = {0}, best = 0;
    for (size_t i = 0; i < count; i++) sums[all[i].sensor] += all[i].value;
    for (int i = 0; i < 64; i++) best = sums[i] > best ? sums[i] : best;
    return best;
}
#endif

int main(void) {
    size_t size;
    char *text = synthesize(LINES, &size);
    struct reading *all = malloc(LINES * sizeof *all);
    size_t count = parse(text, all);
    float *area = mmap(NULL, WINDOW * sizeof *area, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(area, WINDOW * sizeof *area, MADV_NOHUGEPAGE);
    uint32_t hash = 0;
    double level = 0, best = 0;
    for (int round = 0; round < 24; round++) {
        for (size_t i = 0; i < count; i++) hash = hash * 31 + file_of(&all[i]);
        best += per_sensor(all, count);
    }
    for (int turn = 0; turn < 60; turn++) level += smooth(all, count, area, turn);
    printf("%zu %zu %u %.3f %.1f\n", size, count, hash, level, best);
    return 0;
}
