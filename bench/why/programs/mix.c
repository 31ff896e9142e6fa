/* Adds one track to another with a gain. */
#include <stdio.h>

enum { SAMPLES = 4096, ROUNDS = 80000 };

static float left[SAMPLES], right[SAMPLES];

__attribute__((noinline)) void mix(float *out, const float *in, float gain, int count)
{
    for (int i = 0; i < count; i++)
        out[i] += in[i] * gain;
}

int main(void)
{
    for (int i = 0; i < SAMPLES; i++)
        right[i] = (float)(i % 17) * 0.25f;
    for (int round = 0; round < ROUNDS; round++)
        mix(left, right, round % 2 ? 0.5f : -0.5f, SAMPLES);
    float sum = 0;
    for (int i = 0; i < SAMPLES; i++)
        sum += left[i];
    printf("%g\n", sum);
    return 0;
}
