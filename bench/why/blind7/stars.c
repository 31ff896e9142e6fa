/* Stars that attract each other, in single precision and small steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STARS = 512, STEPS = 260 };

static float x[STARS], y[STARS], z[STARS], mass[STARS];
static float vx[STARS], vy[STARS], vz[STARS];
static float ax[STARS], ay[STARS], az[STARS];

static void pulled(float px, float py, float pz, float heavy)
{
    for (int j = 0; j < STARS; j++) {
        float dx = px - x[j], dy = py - y[j], dz = pz - z[j];
        float squared = dx * dx + dy * dy + dz * dz + 0.01f;
        float pull = heavy / (squared * sqrtf(squared));
        ax[j] += dx * pull;
        ay[j] += dy * pull;
        az[j] += dz * pull;
    }
}

static void moved(float step)
{
    for (int j = 0; j < STARS; j++) {
        vx[j] += ax[j] * step;
        vy[j] += ay[j] * step;
        vz[j] += az[j] * step;
        x[j] += vx[j] * step;
        y[j] += vy[j] * step;
        z[j] += vz[j] * step;
    }
}

static float unit(unsigned *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) / 16777216.0f - 0.5f;
}

int main(void)
{
    unsigned seed = 12;
    for (int i = 0; i < STARS; i++) {
        x[i] = unit(&seed) * 10;
        y[i] = unit(&seed) * 10;
        z[i] = unit(&seed);
        mass[i] = 0.5f + unit(&seed) * 0.5f;
    }
    for (int step = 0; step < STEPS; step++) {
        memset(ax, 0, sizeof ax);
        memset(ay, 0, sizeof ay);
        memset(az, 0, sizeof az);
        for (int i = 0; i < STARS; i++)
            pulled(x[i], y[i], z[i], mass[i]);
        moved(0.002f);
    }
    double energy = 0;
    for (int i = 0; i < STARS; i++)
        energy += 0.5 * mass[i] * (vx[i] * vx[i] + vy[i] * vy[i] + vz[i] * vz[i]);
    printf("%.9g %.9g %.9g\n", energy, x[3], z[500]);
    return 0;
}
