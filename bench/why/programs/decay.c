/* Loudness of a recording that has almost died away. */
#include <math.h>
#include <stdio.h>
#include <xmmintrin.h>

enum { SAMPLES = 4096, ROUNDS = 6000 };

static float power[SAMPLES];

__attribute__((noinline)) float loudness(const float *from, int count)
{
    float sum = 0;
    for (int i = 0; i < count; i++)
        sum += sqrtf(from[i]);
    return sum;
}

int main(void)
{
    for (int i = 0; i < SAMPLES; i++)
        power[i] = (float)(i % 17 + 1) * 1e-40f;
#ifdef FLUSH
    _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
    int silent = 0;
    for (int round = 0; round < ROUNDS; round++)
        silent += loudness(power, SAMPLES - round % 8) < 1;
    printf("%d\n", silent);
    return 0;
}
