/* Lengths of many small vectors. */
#include <math.h>
#include <stdio.h>

enum { POINTS = 4096, ROUNDS = 20000 };

static float x[POINTS], y[POINTS], length[POINTS];

__attribute__((noinline)) void lengths(int count)
{
    for (int i = 0; i < count; i++)
        length[i] = sqrtf(x[i] * x[i] + y[i] * y[i]);
}

int main(void)
{
    for (int i = 0; i < POINTS; i++) {
        x[i] = (float)i;
        y[i] = (float)(POINTS - i);
    }
    double sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        x[round % POINTS] += 1;
        lengths(POINTS);
        sum += length[round % POINTS];
    }
    printf("%g\n", sum);
    return 0;
}
