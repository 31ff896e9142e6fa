/* A depot: parcels come in, are put in order of weight, noted in a log and counted each night. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef DAYS
#define DAYS 40
#endif
#ifndef PARCELS
#define PARCELS 2000
#endif
#ifndef NIGHTS
#define NIGHTS 1
#endif

enum { SHELF = 200000 };

struct parcel {
    uint32_t number, weight;
};

struct place {
    char sender[56], receiver[56];
    uint32_t due, paid;
    uint64_t track;
};

static unsigned seed = 23;
static struct parcel parcels[PARCELS];
#ifdef WHOLE
static struct place shelf[SHELF];
#define DUE(i) shelf[i].due
#else
static struct place shelf[SHELF];
static uint32_t dues[SHELF];
#define DUE(i) dues[i]
#endif

static unsigned drawn(unsigned below)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 8) % below;
}

static void noted(const char *path, FILE *log, unsigned day, const struct parcel *parcel)
{
#ifdef REOPEN
    log = fopen(path, "a");
    if (!log)
        exit(1);
    fprintf(log, "day %u parcel %u weighs %u\n", day, parcel->number, parcel->weight);
    fclose(log);
#else
    (void)path;
    fprintf(log, "day %u parcel %u weighs %u\n", day, parcel->number, parcel->weight);
#endif
}

static int by_weight(const void *left, const void *right)
{
    const struct parcel *a = left, *b = right;
#ifdef OTHER
    if (a->weight == b->weight)
        return a->number < b->number ? -1 : a->number > b->number;
    return a->weight < b->weight ? -1 : 1;
#else
    if (a->weight != b->weight)
        return a->weight < b->weight ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
#endif
}

static void in_order(struct parcel *all, int count)
{
#ifdef INSERTED
    for (int i = 1; i < count; i++) {
        struct parcel now = all[i];
        int j = i;
        while (j > 0 && by_weight(&all[j - 1], &now) > 0) {
            all[j] = all[j - 1];
            j--;
        }
        all[j] = now;
    }
#else
    qsort(all, count, sizeof *all, by_weight);
#endif
}

static unsigned long counted(unsigned night)
{
#ifdef OTHER
    int at = 0;
    unsigned long count = 0;
    while (at < SHELF) {
        if (night > DUE(at))
            count += 1;
        at += 1;
    }
    return count;
#else
    unsigned long late = 0;
    for (int i = 0; i < SHELF; i++)
        if (DUE(i) < night)
            late++;
    return late;
#endif
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "/dev/null";
    FILE *log = fopen(path, "w");
    if (!log)
        return 1;
#ifdef REOPEN
    fclose(log);
#endif
    unsigned long sum = 0;
    for (unsigned day = 0; day < DAYS; day++) {
        for (unsigned i = 0; i < PARCELS; i++)
            parcels[i] = (struct parcel){day * PARCELS + i, drawn(100000)};
        in_order(parcels, PARCELS);
        for (unsigned i = 0; i < PARCELS; i += 5)
            noted(path, log, day, &parcels[i]);
        sum = sum * 31 + parcels[PARCELS / 2].number;
    }
    for (int i = 0; i < SHELF; i++) {
        snprintf(shelf[i].sender, sizeof shelf[i].sender, "s%d", i % 97);
        DUE(i) = drawn(1000);
    }
    unsigned long late = 0;
    for (unsigned night = 0; night < NIGHTS; night++)
        late += counted(night);
    printf("%lu %lu %s\n", sum, late, shelf[SHELF / 3].sender);
    return 0;
}
