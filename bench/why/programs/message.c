/* Hashes messages that are put together field by field. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct message {
    uint32_t kind;
    uint32_t length;
};

__attribute__((noinline)) uint64_t mix(uint64_t seed, int count)
{
    volatile union {
        struct message fields;
        uint64_t whole;
    } message;
    for (int i = 0; i < count; i++) {
        uint32_t low = (uint32_t)seed, high = (uint32_t)(seed >> 32) + 1;
#ifdef WHOLE
        message.whole = low | (uint64_t)high << 32;
#else
        message.fields.kind = low;
        message.fields.length = high;
#endif
        seed = message.whole * 0x9E3779B97F4A7C15u;
    }
    return seed;
}

int main(void)
{
    uint64_t sum = 0;
    for (int round = 0; round < 200; round++)
        sum += mix((uint64_t)round, 100000);
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
