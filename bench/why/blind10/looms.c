/* Looms, in two parts: PART 1 weaves, PART 2 knows the threads. */
#include <stdint.h>
#include <stdio.h>

#ifndef ROWS
#define ROWS 6000
#endif

struct thread {
    uint32_t colour, twist;
};

uint32_t shade(const struct thread *thread, uint32_t light);
void twisted(struct thread *thread, uint32_t by);

#if PART == 2
uint32_t shade(const struct thread *thread, uint32_t light)
{
    return (thread->colour * light >> 8) ^ thread->twist;
}

void twisted(struct thread *thread, uint32_t by)
{
    thread->twist += by;
}
#else
enum { WARPS = 4096 };

static struct thread warps[WARPS];

static uint32_t row(uint32_t light)
{
    uint32_t sum = 0;
    for (int i = 0; i < WARPS; i++) {
        sum += shade(&warps[i], light + (uint32_t)i);
        twisted(&warps[i], sum & 3);
    }
    return sum;
}

int main(void)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < WARPS; i++)
        warps[i].colour = i * 2654435761u >> 20;
    for (uint32_t i = 0; i < ROWS; i++)
        sum ^= row(i);
    printf("%u\n", sum);
    return 0;
}
#endif
