/* The helper functions a program may call, by the numbers the Linux kernel gives them. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <time.h>

#include "opcodes.h"
#include "vm.h"

enum { KTIME_GET_NS = 5, GET_PRANDOM_U32 = 7, GET_SMP_PROCESSOR_ID = 8 };

int vm_helper_known(int32_t id)
{
    return id == KTIME_GET_NS || id == GET_PRANDOM_U32 || id == GET_SMP_PROCESSOR_ID ||
           id == BPF_TAIL_CALL_HELPER;
}

static uint64_t ktime_get_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* xorshift32 from the same seed in every run, so that runs can be compared. */
static uint64_t get_prandom_u32(struct vm *vm)
{
    uint32_t x = vm->random;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    vm->random = x;
    return x;
}

uint64_t vm_helper_call(struct vm *vm, int64_t id, const uint64_t *regs)
{
    (void)regs;
    switch (id) {
    case KTIME_GET_NS:
        return ktime_get_ns();
    case GET_PRANDOM_U32:
        return get_prandom_u32(vm);
    default:
        return 0;
    }
}
