/* Numbers frames and keeps a running check over the heads that lie in a ring. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define FRAMES 20000000

struct head {
    uint32_t channel;
    uint32_t counter;
};

static struct head ring[64];

static void fill(struct head *head, uint64_t sum, uint32_t counter)
{
    head->channel = (uint32_t)sum ^ counter;
    __asm__ volatile("" ::: "memory");
    head->counter = (uint32_t)(sum >> 32);
    __asm__ volatile("" ::: "memory");
}

static uint64_t read_back(const struct head *head)
{
#ifdef WHOLE
    uint64_t bits;
    memcpy(&bits, head, sizeof bits);
#else
    uint64_t bits = head->counter;
    __asm__ volatile("" ::: "memory");
    bits = bits << 32 | head->channel;
#endif
    return bits;
}

int main(void)
{
    uint64_t sum = 1;
    for (uint32_t i = 0; i < FRAMES; i++) {
        struct head *head = &ring[i & 63];
        fill(head, sum, i);
        sum = sum >> 29 ^ read_back(head) * 0x9e3779b97f4a7c15u;
    }
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
