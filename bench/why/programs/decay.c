/* A row of resonators that die away. */
#include <stdio.h>
#include <xmmintrin.h>

enum { VOICES = 64, STEPS = 600000 };

static float level[VOICES], speed[VOICES];

__attribute__((noinline)) float ring(int steps)
{
    float sum = 0;
    for (int step = 0; step < steps; step++)
        for (int i = 0; i < VOICES; i++) {
            float next = level[i] * 0.5f + speed[i] * 0.499f;
            speed[i] = next * 0.4f + level[i] * 0.6f;
            level[i] = next;
            sum += next;
        }
    return sum;
}

int main(void)
{
#ifdef FLUSH
    _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
    for (int i = 0; i < VOICES; i++)
        level[i] = 1.0f / (float)(i + 1);
    printf("%g\n", ring(STEPS));
    return 0;
}
