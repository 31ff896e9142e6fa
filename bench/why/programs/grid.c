/* Sums a field of numbers. */
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 2048, ROUNDS = 5 };

static int field[SIDE][SIDE];

__attribute__((noinline)) long total(int least)
{
    long sum = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
#ifdef DOWN
            sum += field[j][i] + least;
#else
            sum += field[i][j] + least;
#endif
    return sum;
}

int main(void)
{
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            field[i][j] = i ^ j;
    long sum = 0;
    for (int round = 0; round < ROUNDS; round++)
        sum += total(round);
    printf("%ld\n", sum);
    return 0;
}
