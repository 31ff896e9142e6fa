/* Fills the memory with pseudo-random bytes and hashes it: 64-bit FNV-1a. */
#include "program.h"

u64 fnv1a(u8 *memory, u64 length)
{
    u64 hash = 0xcbf29ce484222325ull;
    u32 random = 1;

    for (u64 i = 0; i < length; i++)
        memory[i] = next_random(&random) >> 24;
    for (u64 i = 0; i < length; i++)
        hash = (hash ^ memory[i]) * 0x100000001b3ull;
    return hash;
}
