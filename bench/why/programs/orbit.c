/* Where a point of the logistic map goes. */
#include <stdio.h>

#ifndef HALF
#define HALF 0.5f
#endif

enum { POINTS = 512 };

static float at[POINTS];

__attribute__((noinline)) void advance(float rate, int points, int steps)
{
    for (int step = 0; step < steps; step++)
        for (int i = 0; i < points; i++)
            at[i] = at[i] * rate * (1 - at[i]) * HALF + at[i] * HALF;
}

int main(void)
{
    for (int i = 0; i < POINTS; i++)
        at[i] = (float)(i + 1) / (POINTS + 2);
    advance(3.2f, POINTS, 200000);
    printf("%.3f\n", (double)at[7]);
    return 0;
}
