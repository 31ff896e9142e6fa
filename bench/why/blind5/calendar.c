/* Dates of a booking system: days since 1970 become dates, weeks and quarters. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct date {
    int year, month, day, weekday, week;
};

struct booking {
    int32_t from, until;
    int room;
};

static uint32_t state = 12345;

static uint32_t draw(void) {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

__attribute__((noinline)) static struct date civil(int32_t days) {
    struct date d;
    uint32_t z = (uint32_t)(days + 719468);
    uint32_t era = z / 146097;
    uint32_t doe = z % 146097;
    uint32_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    uint32_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    uint32_t mp = (5 * doy + 2) / 153;
    d.day = (int)(doy - (153 * mp + 2) / 5 + 1);
    d.month = (int)(mp < 10 ? mp + 3 : mp - 9);
    d.year = (int)(yoe + era * 400 + (d.month <= 2));
    d.weekday = (int)((z + 3) % 7);
    d.week = (int)((doy + 6 - (uint32_t)d.weekday) / 7);
    return d;
}

static struct booking *booked(int n) {
    struct booking *all = malloc((size_t)n * sizeof *all);
    for (int i = 0; i < n; i++) {
        all[i].from = (int32_t)(draw() % 20000);
        all[i].until = all[i].from + 1 + (int32_t)(draw() % 14);
        all[i].room = (int)(draw() % 200);
    }
    return all;
}

static int weekend(const struct date *d) { return d->weekday >= 5; }

static long occupancy(const struct booking *all, int n, long month[12], long *nights) {
    long weekends = 0;
    for (int i = 0; i < n; i++) {
        struct date from = civil(all[i].from);
        struct date until = civil(all[i].until);
        month[from.month - 1] += 1;
        if (until.month != from.month)
            month[until.month - 1] += 1;
        *nights += all[i].until - all[i].from;
        weekends += weekend(&from) + weekend(&until) + (from.week != until.week);
    }
    return weekends;
}

int main(void) {
    enum { N = 200000, SEASONS = 60 };
    struct booking *all = booked(N);
    long month[12] = {0}, nights = 0, weekends = 0;
    for (int season = 0; season < SEASONS; season++) {
        weekends += occupancy(all, N, month, &nights);
        for (int i = 0; i < N; i += 97)
            all[i].from++, all[i].until++;
    }
    for (int i = 0; i < 12; i++)
        printf("%02d %ld\n", i + 1, month[i]);
    printf("nights %ld weekends %ld\n", nights, weekends);
    free(all);
    return 0;
}
