/* Filters a signal, mixes it, finds peaks, and makes a histogram. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N (1 << 20)
static float signal_[N], mixed[N];
static int16_t pcm[N];
static int bins[256];
static unsigned width = 37;

#ifdef NOALIAS
#define MAYBE
#else
#define MAYBE restrict
#endif
__attribute__((noinline)) static void mix(float *MAYBE out, const float *MAYBE in, const float *MAYBE gain, int n) {
    for (int i = 0; i < n; i++) out[i] = out[i] * 0.5f + in[i] * *gain;
}

__attribute__((noinline)) static float reverb(const float *in, int n, float feedback) {
    float tail[8] = {0};
    float peak = 0;
    for (int i = 0; i < n; i++) {
        float y = in[i] + feedback * tail[i & 7];
#ifdef FADED
        tail[i & 7] = y * 0.25f;
#else
        tail[i & 7] = y * 0.25f + 1e-20f;
#endif
        peak = peak > y ? peak : y;
    }
    return peak;
}

__attribute__((noinline)) static void quantize(int16_t *out, const float *in, int n) {
    for (int i = 0; i < n; i++) {
        int v = (int)(in[i] * 32767.0f);
#ifdef MODULO
        out[i] = (int16_t)(v - (int)((unsigned)(v + 40000) % width));
#else
        out[i] = (int16_t)(v - (int)((unsigned)(v + 40000) % 37u));
#endif
    }
}

__attribute__((noinline)) static long loud(const int16_t *in, int n) {
    long sum = 0;
    for (int i = 0; i < n; i++) {
#ifdef BRANCHY
        if (in[i] > 1000) {
            sum += in[i];
            __asm__ volatile("" : "+r"(sum));
        }
#else
        long v = in[i];
        sum += v & -(long)(v > 1000);
        __asm__ volatile("" : "+r"(sum));
#endif
    }
    return sum;
}

__attribute__((noinline)) static long transpose(const float *in) {
    double s = 0;
#ifdef COLUMNS
    for (int c = 0; c < 1024; c++)
        for (int r = 0; r < 1024; r++)
#else
    for (int r = 0; r < 1024; r++)
        for (int c = 0; c < 1024; c++)
#endif
            s += in[r * 1024 + c] * bins[c & 255];
    return (long)s;
}

int main(void) {
    uint32_t x = 99;
    for (int i = 0; i < N; i++) {
        x = x * 1664525u + 1013904223u;
        signal_[i] = ((int)(x >> 8) - (1 << 23)) / (float)(1 << 23);
        bins[x >> 24]++;
    }
    long sum = 0;
    float peak = 0, gain = 0.7f;
    for (int round = 0; round < 6; round++) {
        mix(mixed, signal_, &gain, N);
        for (int pass = 0; pass < 4; pass++) quantize(pcm, mixed, N);
        sum += loud(pcm, N);
        sum += transpose(mixed);
        if (round < 3) {
            static float quiet[N];
            quiet[0] = 1e-37f;
            peak += reverb(quiet, N, 3.999f);
        }
    }
    printf("%ld %g\n", sum, (double)peak);
    return 0;
}
