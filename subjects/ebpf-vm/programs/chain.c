/* A chain of tail calls: each link stirs a number kept in the memory 200 times and calls the
 * program at index 0 of the program array, which is this one again. The 34th call fails, and the
 * last link returns the number. Needs 8 bytes of memory and --prog-array 0=chain.hex. */
#include "program.h"

static long (*const bpf_tail_call)(void *context, void *array, u32 index) = (void *)12;

u64 chain(u64 *memory)
{
    u64 x = *memory;

    for (u32 i = 0; i < 200; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x += i;
    }
    *memory = x + 1;
    bpf_tail_call(memory, 0, 0);
    return *memory;
}
