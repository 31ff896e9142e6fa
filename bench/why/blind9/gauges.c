/* Gauges along a river: names are made plain, readings scaled, and the nearest gauge is looked for. */
#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef TEXTS
#define TEXTS 100
#endif
#ifndef SCALES
#define SCALES 200
#endif
#ifndef BOATS
#define BOATS 4000
#endif
#ifndef VISITS
#define VISITS 20
#endif

enum { GAUGES = 1500, READINGS = 20000, LETTERS = 6000, BUFFER = 1 << 18 };

static unsigned seed = 5;
static double east[GAUGES], north[GAUGES];
static double readings[READINGS], scaled[READINGS];
static char text[LETTERS + 1];
static unsigned char buffer[BUFFER];

static unsigned drawn(unsigned below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

static unsigned plain(char *name)
{
    unsigned changed = 0;
#ifdef MEASURED
    for (size_t i = 0; i < strlen(name); i++) {
#else
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++) {
#endif
        char small = (char)tolower((unsigned char)name[i]);
        changed += small != name[i];
        name[i] = small == ' ' ? '_' : small;
    }
    return changed;
}

static double scale(double unit)
{
    double most = 0;
#ifdef QUOTIENT
    for (int i = 0; i < READINGS; i++) {
        scaled[i] = readings[i] / unit + scaled[i] * 0.5;
        most = scaled[i] > most ? scaled[i] : most;
    }
#else
    double times = 1 / unit;
    for (int i = 0; i < READINGS; i++) {
        scaled[i] = readings[i] * times + scaled[i] * 0.5;
        most = scaled[i] > most ? scaled[i] : most;
    }
#endif
    return most;
}

static int nearest(double x, double y)
{
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < GAUGES; i++) {
#ifdef HYPOT
        double far = hypot(east[i] - x, north[i] - y);
#else
        double dx = east[i] - x, dy = north[i] - y;
        double far = dx * dx + dy * dy;
#endif
        if (far < least) {
            least = far;
            best = i;
        }
    }
    return best;
}

static unsigned long archive(const char *path)
{
    unsigned long sum = 0;
    int file = open(path, O_RDONLY);
    if (file < 0)
        return 0;
#ifdef MAPPED
    struct stat about;
    if (fstat(file, &about))
        exit(1);
    unsigned char *all = mmap(0, about.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    if (all == MAP_FAILED)
        exit(1);
    for (off_t i = 0; i < about.st_size; i += 64)
        sum += all[i] |= 1;
    munmap(all, about.st_size);
#else
    ssize_t got;
    while ((got = read(file, buffer, BUFFER)) > 0)
        for (ssize_t i = 0; i < got; i += 64)
            sum += buffer[i] |= 1;
#endif
    close(file);
    return sum;
}

int main(int argc, char **argv)
{
    unsigned long sum = 0;
    for (int i = 0; i < GAUGES; i++) {
        east[i] = drawn(100000);
        north[i] = drawn(100000);
    }
    for (int i = 0; i < READINGS; i++)
        readings[i] = drawn(100000);
    for (int round = 0; round < TEXTS; round++) {
        for (int i = 0; i < LETTERS; i++)
            text[i] = " ABCDEFGHIJKLMNOPQRSTUVWXYZ"[drawn(27)];
        sum += plain(text);
    }
    double most = 0;
    for (int round = 0; round < SCALES; round++)
        most += scale(8 << round % 3);
    unsigned long near = 0;
    for (int i = 0; i < BOATS; i++)
        near = near * 7 + nearest(drawn(100000), drawn(100000));
    for (int i = 0; argc > 1 && i < VISITS; i++)
        sum += archive(argv[1]);
    printf("%lu %.1f %lu\n", sum, most, near);
    return 0;
}
