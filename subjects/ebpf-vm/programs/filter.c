/* Filters 700 samples of 16 bits: one with 12 coefficients, one that feeds back, and the largest
 * over windows; fixed point of 14 bits, saturated. Returns clipped << 48 | a hash. */
#include "program.h"

typedef short s16;
typedef int s32;
typedef long long s64;

enum { SAMPLES = 700, TAPS = 12 };

u64 filter(s16 *in, u64 length)
{
    s16 *out = in + SAMPLES, *taps = out + SAMPLES;
    u32 random = 28;
    u64 clipped = 0, hash = 0;
    s64 state = 0, before = 0;

    for (u32 i = 0; i < SAMPLES; i++)
        in[i] = (s16)(next_random(&random) >> 16);
    for (s32 i = 0; i < TAPS; i++)
        taps[i] = (s16)(5000 - 137 * (i - 5) * (i - 6));
    for (u32 i = TAPS; i < SAMPLES; i++) {
        s64 sum = 1 << 13;

        for (u32 j = 0; j < TAPS; j++)
            sum += (s32)taps[j] * in[i - j];
        sum >>= 14;
        if (sum > 32767 || sum < -32768) {
            sum = sum < 0 ? -32768 : 32767;
            clipped++;
        }
        out[i] = (s16)sum;
    }
    for (u32 i = TAPS; i < SAMPLES; i++) {
        s64 next = (30000 * state - 14000 * before + 3000 * (s64)out[i]) >> 14;

        before = state;
        state = next;
        hash = (hash << 5 ^ hash >> 59) + (u64)(state & 0xffff);
    }
    for (u32 i = TAPS; i + 16 < SAMPLES; i += 16) {
        s32 largest = -32768;

        for (u32 j = 0; j < 16; j++)
            largest = out[i + j] > largest ? out[i + j] : largest;
        hash = hash * 31 + (u64)largest;
    }
    return clipped << 48 | hash >> 16;
}
