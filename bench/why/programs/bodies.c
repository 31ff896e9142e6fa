/* Sums the masses of bodies that also have a place and a speed. */
#include <stdio.h>
#include <stdlib.h>

enum { BODIES = 60000, ROUNDS = 2500 };

#ifdef COLUMNS
static struct { float x[BODIES], y[BODIES], z[BODIES], u[BODIES], v[BODIES], w[BODIES];
                int mass[BODIES]; int rest[BODIES][9]; } bodies;
#define MASS(i) bodies.mass[i]
#else
static struct { float x, y, z, u, v, w; int mass; int rest[9]; } bodies[BODIES];
#define MASS(i) bodies[i].mass
#endif

__attribute__((noinline)) long masses(int low)
{
    long sum = 0;
    for (int i = 0; i < BODIES; i++)
        if (MASS(i) > low)
            sum += MASS(i);
    return sum;
}

int main(void)
{
    long sum = 0;
    for (int i = 0; i < BODIES; i++)
        MASS(i) = i % 1000;
    for (int round = 0; round < ROUNDS; round++)
        sum += masses(round % 7);
    printf("%ld\n", sum);
    return 0;
}
