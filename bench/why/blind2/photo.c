/* Smooths a picture of one channel along its rows, then along its columns. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE 1024
#ifndef GAP
#define GAP 0
#endif
#ifdef WIDE
#define KEPT 0.75
#define ADDED 0.25
#else
#define KEPT 0.75f
#define ADDED 0.25f
#endif

static float picture[SIDE][SIDE + GAP];

static void paint(void) {
    uint32_t seed = 99;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            seed = seed * 1664525u + 1013904223u;
            picture[y][x] = (float)(seed >> 24);
        }
}

static void along_rows(void) {
    for (int y = 0; y < SIDE; y++) {
        float held = picture[y][0];
        for (int x = 0; x < SIDE; x++) {
            held = held * KEPT + picture[y][x] * ADDED;
            picture[y][x] = held;
        }
    }
}

static void along_columns(void) {
    for (int x = 0; x < SIDE; x++) {
        float held = picture[0][x];
        for (int y = 0; y < SIDE; y++) {
            held = held * KEPT + picture[y][x] * ADDED;
            picture[y][x] = held;
        }
    }
}

int main(void) {
    paint();
    for (int round = 0; round < ROUNDS; round++) {
        along_rows();
#ifdef COLUMNS
        along_columns();
#endif
    }
#ifndef COLUMNS
    along_columns();
#endif
    double light = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            light += picture[y][x];
    printf("mean %.1f\n", light / SIDE / SIDE);
    return 0;
}
