/* A market: sales are noted in a log, prices are averaged over weeks, baskets are filled and emptied. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef SALES
#define SALES 2000
#endif
#ifndef DAYS
#define DAYS 20000
#endif
#ifndef BASKETS
#define BASKETS 2000
#endif

enum { WEEKS = 60, ITEMS = 60 };

static unsigned seed = 31;
static int prices[DAYS];

static unsigned drawn(unsigned below)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 8) % below;
}

static unsigned noted(FILE *log, int self, int thread)
{
    unsigned sum = 0;
    for (unsigned sale = 0; sale < SALES; sale++) {
        unsigned cents = 50 + drawn(5000);
#ifdef ASKED
        self = getpid();
        thread = gettid();
#endif
        fprintf(log, "[%d:%d] stall %u: %u\n", self, thread, sale % 40, cents);
        sum += cents;
    }
    return sum;
}

__attribute__((noinline)) static long averaged(void)
{
    long all = 0;
#ifdef OTHER
    int week = 0, last;
    for (last = 0; DAYS > last; ++last) {
        week = prices[last] + week;
        if (WEEKS <= last)
            week = week - prices[last - WEEKS];
        all = week / WEEKS + all;
    }
#else
    int sum = 0;
    for (int day = 0; day < DAYS; day++) {
#ifdef AGAIN
        sum = 0;
        for (int back = day < WEEKS ? day : WEEKS - 1; back >= 0; back--)
            sum += prices[day - back];
#else
        sum += prices[day];
        if (day >= WEEKS)
            sum -= prices[day - WEEKS];
#endif
        all += sum / WEEKS;
    }
#endif
    return all;
}

static unsigned long filled(void)
{
    unsigned long weight = 0;
    char *items[ITEMS];
    for (int basket = 0; basket < BASKETS; basket++) {
        for (int i = 0; i < ITEMS; i++) {
            size_t size = 24 + drawn(10) * 16;
            items[i] = malloc(size);
            if (!items[i])
                exit(1);
            items[i][0] = (char)size;
            items[i][size - 1] = (char)i;
        }
        for (int i = ITEMS - 1; i >= 0; i--) {
            weight += (unsigned char)items[i][0];
            free(items[i]);
        }
    }
    return weight;
}

int main(int count, char **words)
{
    FILE *log = fopen(count > 1 ? words[1] : "/dev/null", "w");
    if (!log)
        return 1;
    unsigned sum = noted(log, getpid(), gettid());
    fclose(log);
    for (int day = 0; day < DAYS; day++)
        prices[day] = (int)(100 + drawn(900));
    long all = 0;
    for (int year = 0; year < 10; year++) {
        all += averaged();
        prices[year] += year;
    }
    printf("%u %ld %lu\n", sum, all, filled());
    return 0;
}
