/* The median of each of several channels by quickselect. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SAMPLES 1000000

static int64_t samples[SAMPLES];

static void record(uint64_t seed)
{
    for (int i = 0; i < SAMPLES; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        samples[i] = (int64_t)(seed >> 33);
    }
}

/* How many of `count` values are less than the pivot; they come first afterwards. */
static int partition(int64_t *values, int count, int64_t pivot)
{
    int less = 0;
    for (int i = 0; i < count; i++) {
        int64_t value = values[i];
#ifdef JUMP
        if (value < pivot) {
            values[i] = values[less];
            values[less] = value;
            less++;
            __asm__ volatile("");
        }
#else
        values[i] = values[less];
        values[less] = value;
        less += value < pivot;
#endif
    }
    return less;
}

static int64_t select_rank(int64_t *values, int count, int rank)
{
    for (;;) {
        int64_t lowest = values[0], highest = values[0];
        for (int i = 1; i < count; i++) {
            lowest = values[i] < lowest ? values[i] : lowest;
            highest = values[i] > highest ? values[i] : highest;
        }
        if (lowest == highest)
            return lowest;
        int less = partition(values, count, lowest + (highest - lowest + 1) / 2);
        if (rank < less) {
            count = less;
        } else {
            values += less;
            count -= less;
            rank -= less;
        }
    }
}

int main(void)
{
    int64_t total = 0;
    for (int channel = 0; channel < 16; channel++) {
        record(channel + 1);
        total += select_rank(samples, SAMPLES, SAMPLES / 2);
    }
    printf("%lld\n", (long long)total);
    return 0;
}
