/* What a tracing program does with 2500 latencies: a histogram by powers of two, one by eighths of
 * them, a moving average and a bucket of tokens; then the percentiles. Returns dropped << 48 | 99th
 * percentile << 32 | a hash of the rest. */
#include "program.h"

enum { EVENTS = 2500 };

static inline __attribute__((always_inline)) u32 log2_of(u32 x)
{
    u32 log = 0;

    if (x >> 16)
        log += 16, x >>= 16;
    if (x >> 8)
        log += 8, x >>= 8;
    if (x >> 4)
        log += 4, x >>= 4;
    if (x >> 2)
        log += 2, x >>= 2;
    return log + (x >> 1);
}

static inline __attribute__((always_inline)) u32 percentile(const u32 *fine, u64 total, u32 wanted)
{
    u64 seen = 0;
    u32 slot = 0;

    while (slot < 256) {
        seen += fine[slot];
        if (seen * 100 >= total * wanted)
            break;
        slot++;
    }
    return slot;
}

u64 latency(u32 *coarse, u64 length)
{
    u32 *fine = coarse + 32, random = 25, now = 0, last = 0, tokens = 50;
    u64 average = 0, dropped = 0, kept = 0, hash = 0;

    for (u32 i = 0; i < 32 + 256; i++)
        coarse[i] = 0;
    for (u32 i = 0; i < EVENTS; i++) {
        u32 number = next_random(&random), latency = (number >> 12) >> (number & 15), log;

        now += number >> 27;
        if (now - last >= 16) {
            tokens += (now - last) / 16;
            if (tokens > 50)
                tokens = 50;
            last = now & ~15u;
        }
        if (!tokens) {
            dropped++;
            continue;
        }
        tokens--;
        kept++;
        log = log2_of(latency | 1);
        coarse[log]++;
        fine[log << 3 | (log >= 3 ? latency >> (log - 3) & 7 : 0)]++;
        average = average - (average >> 3) + latency;
    }
    for (u32 i = 0; i < 32; i++)
        hash = hash * 33 + coarse[i];
    hash = hash * 33 + percentile(fine, kept, 50);
    hash = hash * 33 + average;
    return dropped << 48 | (u64)percentile(fine, kept, 99) << 32 | (hash & 0xffffffff);
}
