/* The check every load and store passes, and the arithmetic C leaves undefined. */
#ifndef EBPF_VM_MEMORY_H
#define EBPF_VM_MEMORY_H

#include "vm.h"

static inline const struct vm_region *vm_region_of(const struct vm *vm, uint64_t address)
{
    _Static_assert(sizeof(struct vm_region) == 64 && VM_REGIONS == 4, "the shift below");

    return (const struct vm_region *)((const char *)vm->regions + (address >> 26 & 3 << 6));
}

/* Whether `size` (1, 2, 4 or 8) bytes at `address` are inside the region. Its number is part of
 * the address, so an address below its start has led to another one. */
static inline int vm_inside(const struct vm_region *region, uint64_t address, size_t size)
{
    return address < region->end[__builtin_ctz((unsigned)size)];
}

static inline uint8_t *vm_to_host(const struct vm_region *region, uint64_t address)
{
    return (uint8_t *)((uintptr_t)address + region->to_host);
}

/* Offsets of jumps are kept in bytes. */
static inline const struct vm_insn *vm_jump(const struct vm_insn *pc, int64_t offset)
{
    return (const struct vm_insn *)((const char *)pc + offset);
}

/* How much of the program is over when `pc` is, in bytes. */
static inline int64_t vm_position(const struct vm_program *program, const struct vm_insn *pc)
{
    return (const char *)(pc + 1) - (const char *)program->insns;
}

/* Division by zero yields zero, modulo by zero the dividend; the one quotient that does not fit
 * wraps around. */
static inline uint64_t vm_sdiv64(uint64_t a, uint64_t b)
{
    if (b == 0)
        return 0;
    return b == UINT64_MAX ? UINT64_C(0) - a : (uint64_t)((int64_t)a / (int64_t)b);
}

static inline uint32_t vm_sdiv32(uint32_t a, uint32_t b)
{
    if (b == 0)
        return 0;
    return b == UINT32_MAX ? UINT32_C(0) - a : (uint32_t)((int32_t)a / (int32_t)b);
}

static inline uint64_t vm_smod64(uint64_t a, uint64_t b)
{
    if (b == 0)
        return a;
    return b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
}

static inline uint32_t vm_smod32(uint32_t a, uint32_t b)
{
    if (b == 0)
        return a;
    return b == UINT32_MAX ? 0 : (uint32_t)((int32_t)a % (int32_t)b);
}

#endif
