#include <stdint.h>

static uint64_t mixed(uint64_t sum, uint64_t i)
{
    return sum * 6364136223846793005u + (i ^ sum >> 33);
}

uint64_t hot(uint64_t n)
{
    uint64_t sum = 1;
    for (uint64_t i = 0; i < n; i++)
        sum = mixed(sum, i);
    return sum;
}
