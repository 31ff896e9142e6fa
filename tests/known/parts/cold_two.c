#include <stdint.h>

static uint64_t mixed(uint64_t x)
{
    return x * 3 + (x >> 2);
}

uint64_t cold_two(uint64_t x)
{
    return mixed(x) ^ mixed(x + 1);
}
