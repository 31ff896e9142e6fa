/* Setting up a machine, running it once, and saying why it stopped. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opcodes.h"
#include "vm.h"

int vm_fail(struct vm_error *error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(error->text, sizeof(error->text), format, arguments);
    va_end(arguments);
    return -1;
}

static void set_region(struct vm *vm, unsigned number, uint8_t *host, size_t size)
{
    const uint64_t start = (uint64_t)number << 32;
    struct vm_region *region = &vm->regions[number];

    region->to_host = (uintptr_t)host - (uintptr_t)start;
    for (unsigned k = 0; k < 4; k++) {
        const size_t access = (size_t)1 << k;
        const size_t places = size >= access ? size - access + 1 : 0;

        region->end[k] = places ? start + places : 0;
#ifdef VM_DISPATCH_PINNED
        vm->reach[number].room[k] = places;
        vm->reach[number].host = host;
#endif
    }
}

/* The stack reaches from the frame of the program to that of the function which runs. */
static void set_stack(struct vm *vm)
{
    const size_t size = ((size_t)vm->depth + 1) * VM_STACK_SIZE;

    set_region(vm, 1, vm->stack, size);
    vm->regs[VM_FRAME_REGISTER] = VM_STACK_START + size;
#ifdef VM_DISPATCH_PINNED
    vm->frame = vm->stack + size;
#endif
}

/* As set_stack does, when the depth has just changed by one. */
static void move_stack(struct vm *vm, int64_t frames)
{
    const uint64_t by = (uint64_t)(frames * VM_STACK_SIZE);

    for (unsigned k = 0; k < 4; k++)
        vm->regions[1].end[k] += by;
#ifdef VM_DISPATCH_PINNED
    for (unsigned k = 0; k < 4; k++)
        vm->reach[1].room[k] += by;
    vm->frame += frames * VM_STACK_SIZE;
#endif
    vm->regs[VM_FRAME_REGISTER] += by;
}

/* The pinned form reads a program's constants as it does registers. */
static void take_constants(struct vm *vm, const struct vm_program *program)
{
#ifdef VM_DISPATCH_PINNED
    if (program->constants_count)
        memcpy(vm->constants, program->constants,
               program->constants_count * sizeof(*program->constants));
#else
    (void)vm, (void)program;
#endif
}

int vm_init(struct vm *vm, const uint8_t *memory, size_t memory_size, struct vm_error *error)
{
    memset(vm, 0, sizeof(*vm));
    if (memory_size > VM_MAX_MEMORY)
        return vm_fail(error, "%zu bytes of memory are more than %d", memory_size, VM_MAX_MEMORY);
    vm->memory = malloc(memory_size + !memory_size);
    vm->memory_image = malloc(memory_size + !memory_size);
    if (!vm->memory || !vm->memory_image) {
        vm_release(vm);
        return vm_fail(error, "out of memory");
    }
    vm->memory_size = memory_size;
    if (memory_size)
        memcpy(vm->memory_image, memory, memory_size);
    set_region(vm, 2, vm->memory, memory_size);
    return 0;
}

void vm_release(struct vm *vm)
{
    free(vm->memory);
    free(vm->memory_image);
    vm->memory = NULL;
    vm->memory_image = NULL;
}

/* Every execution starts from the same registers, stack and memory. */
static void reset(struct vm *vm)
{
    memset(vm->regs, 0, VM_REGISTERS * sizeof(*vm->regs));
    memset(vm->stack, 0, ((size_t)vm->deepest + 1) * VM_STACK_SIZE);
    vm->depth = 0;
    vm->deepest = 0;
    memcpy(vm->memory, vm->memory_image, vm->memory_size);
    if (vm->memory_size) {
        vm->regs[1] = VM_MEMORY_START;
        vm->regs[2] = vm->memory_size;
    }
    set_stack(vm);
    take_constants(vm, vm->entry);
    vm->current = vm->entry;
    vm->tail_calls = 0;
    vm->random = 2463534242U;
}

enum vm_stop vm_execute(struct vm *vm, int64_t max_insns)
{
    reset(vm);
    /* What stands before the entry counts as executed already, as vm_position() has it. */
    return vm_run(vm, vm->entry->insns + vm->entry->entry,
                  (max_insns + (int64_t)vm->entry->entry) * (int64_t)sizeof(struct vm_insn));
}

uint64_t vm_executed(const struct vm *vm, int64_t max_insns)
{
    const int64_t position = vm->stopped_at - vm->current->insns + 1;

    return (uint64_t)(max_insns - vm->budget / (int64_t)sizeof(struct vm_insn) + position);
}

/* The order of the checks, and counting an attempt that finds an empty entry, are the kernel's. */
const struct vm_program *vm_tail_target(struct vm *vm, uint64_t index)
{
    const struct vm_program *target;

    if ((uint32_t)index >= VM_PROGRAM_ARRAY || vm->tail_calls >= VM_MAX_TAIL_CALLS)
        return NULL;
    vm->tail_calls++;
    target = vm->array[(uint32_t)index];
    if (target && target != vm->current)
        take_constants(vm, target);
    return target;
}

int vm_enter(struct vm *vm, const struct vm_insn *call)
{
    struct vm_frame *frame = &vm->frames[vm->depth];

    if (vm->depth == VM_MAX_FRAMES - 1)
        return 0;
    frame->call = call;
    frame->program = vm->current;
    memcpy(frame->saved, vm->regs + 6, sizeof(frame->saved));
    vm->depth++;
    if (vm->deepest < vm->depth)
        vm->deepest = vm->depth;
    move_stack(vm, 1);
    return 1;
}

const struct vm_insn *vm_leave(struct vm *vm)
{
    const struct vm_frame *frame = &vm->frames[--vm->depth];

    if (vm->current != frame->program)
        take_constants(vm, frame->program);
    vm->current = frame->program;
    memcpy(vm->regs + 6, frame->saved, sizeof(frame->saved));
    move_stack(vm, -1);
    return frame->call;
}

static void describe_access(const struct vm *vm, size_t at, struct vm_error *error)
{
    static const unsigned char sizes[] = {4, 2, 1, 8};
    const struct vm_insn *insn = vm->stopped_at;
    const uint8_t code = vm_code_of((enum vm_op)insn->op);
    const int load = bpf_class_of(code) == BPF_LDX;
    const uint64_t base = vm->regs[load ? insn->src : insn->dst];
    const char *what = load ? "load" : bpf_is_atomic(code) ? "atomic operation" : "store";

    vm_fail(error, "instruction %zu: %s of %d bytes at 0x%llx is out of bounds", at, what,
            sizes[code >> 3 & 3], (unsigned long long)(base + (uint64_t)(int64_t)insn->off));
}

void vm_describe_stop(const struct vm *vm, enum vm_stop why, struct vm_error *error)
{
    const size_t at = (size_t)(vm->stopped_at - vm->current->insns);

    switch (why) {
    case VM_STOP_exit:
        vm_fail(error, "instruction %zu: exit", at);
        break;
    case VM_STOP_memory:
        describe_access(vm, at, error);
        break;
    case VM_STOP_budget:
        vm_fail(error, "instruction %zu: the instruction budget is used up", at);
        break;
    case VM_STOP_depth:
        vm_fail(error, "instruction %zu: local calls are nested deeper than %d frames", at,
                VM_MAX_FRAMES);
        break;
    case VM_STOP_trap:
        vm_fail(error, "instruction %zu: trap", at);
        break;
    }
}
