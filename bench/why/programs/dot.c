/* Correlates two rows of numbers. */
#include <stdio.h>

enum { LENGTH = 3000, ROUNDS = 30000 };

static float first[LENGTH + 16], second[LENGTH + 16];

__attribute__((noinline)) float correlate(const float *a, const float *b, int length)
{
    float sum = 0;
    for (int i = 0; i < length; i++)
        sum += a[i] * b[i];
    return sum;
}

int main(void)
{
    for (int i = 0; i < LENGTH + 16; i++) {
        first[i] = (float)(i % 11) - 5;
        second[i] = (float)(i % 7) - 3;
    }
    float best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        float value = correlate(first + round % 16, second, LENGTH);
        if (value > best)
            best = value;
    }
    printf("%g\n", best);
    return 0;
}
