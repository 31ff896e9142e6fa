/* Brings rows of weights to a sum of one. */
#include <stdio.h>

enum { ROW = 1000, ROUNDS = 120000 };

static double weights[ROW];

__attribute__((noinline)) void normalise(double *row, double total)
{
    for (int i = 0; i < ROW; i++)
#ifdef INVERSE
        row[i] *= total;
#else
        row[i] /= total;
#endif
}

int main(void)
{
    for (int i = 0; i < ROW; i++)
        weights[i] = i + 1;
    for (int round = 0; round < ROUNDS; round++)
        normalise(weights, round % 2 ? 0.5 : 2.0);
    printf("%g\n", weights[ROW - 1]);
    return 0;
}
