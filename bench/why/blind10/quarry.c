/* A quarry: echoes of charges are mixed in rings of samples, blocks of stone are counted by two crews. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef ECHOES
#define ECHOES 200
#endif
#ifndef BLOCKS
#define BLOCKS 1000000u
#endif

#ifdef NARROW
typedef uint32_t place;
#else
typedef size_t place;
#endif

enum { SAMPLES = 4096 };

static float rock[2 * SAMPLES], heard[2 * SAMPLES];

__attribute__((noipa)) static void mixed(float *to, const float *from, place start, place delay, place count)
{
    for (place i = 0; i < count; i++)
        to[start + i] += from[start + delay + i] * 0.5f;
}

static float echoes(void)
{
    for (int i = 0; i < 2 * SAMPLES; i++)
        rock[i] = (float)(i * 37 % 101) - 50;
    for (unsigned i = 0; i < ECHOES; i++)
        mixed(heard, rock, i % 64, 100 + i % 128, SAMPLES);
    float sum = 0;
    for (int i = 0; i < 2 * SAMPLES; i++)
        sum += heard[i];
    return sum;
}

static void *counted(void *given)
{
    uint32_t *state = given;
    uint32_t stone = *state, large = 0;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        stone ^= stone << 13;
        stone ^= stone >> 17;
        stone ^= stone << 5;
        large += stone >> 31;
    }
    *state = large;
    return NULL;
}

int main(void)
{
    pthread_t crews[2];
    uint32_t states[2] = {7, 8};
    printf("%.1f", echoes());
    for (int i = 0; i < 2; i++)
        if (pthread_create(&crews[i], NULL, counted, &states[i]))
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(crews[i], NULL);
    printf(" %u %u\n", states[0], states[1]);
    return 0;
}
