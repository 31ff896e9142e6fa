/* The pinned form: tail calls as in dispatch_tail.h, with the registers r0 to r8 as arguments, so
 * that they stay in machine registers from one instruction to the next. r9, r10 and the budget are
 * beside the other state of the machine. A machine register cannot be picked by number, so an
 * instruction has a handler for each combination of registers that it may name, and one for any,
 * which keeps the registers in memory while it works. Part of interp.c. */

#define PARAMETERS                                                                                 \
    const struct vm_insn *pc, struct vm *vm, uint64_t r0, uint64_t r1, uint64_t r2, uint64_t r3,   \
        uint64_t r4, uint64_t r5, uint64_t r6, uint64_t r7, uint64_t r8
#define ARGUMENTS pc, vm, r0, r1, r2, r3, r4, r5, r6, r7, r8

#define BUDGET vm->budget

typedef CONVENTION enum vm_stop handler(PARAMETERS);

#define NEXT MUSTTAIL return ((handler *)pc->handler)(ARGUMENTS)

/* Registers from arguments to memory, and back. */
#define SAVE                                                                                       \
    do {                                                                                           \
        const uint64_t registers[] = {r0, r1, r2, r3, r4, r5, r6, r7, r8};                         \
                                                                                                   \
        memcpy(vm->regs, registers, sizeof(registers));                                            \
    } while (0)
#define RESTORE                                                                                    \
    (r0 = vm->regs[0], r1 = vm->regs[1], r2 = vm->regs[2], r3 = vm->regs[3], r4 = vm->regs[4],     \
     r5 = vm->regs[5], r6 = vm->regs[6], r7 = vm->regs[7], r8 = vm->regs[8])

#define STOP_HANDLER(reason)                                                                       \
    static CONVENTION VM_COLD enum vm_stop stop_##reason(PARAMETERS)                               \
    {                                                                                              \
        SAVE;                                                                                      \
        vm->stopped_at = pc;                                                                       \
        return VM_STOP_##reason;                                                                   \
    }

STOP_HANDLER(exit)
STOP_HANDLER(memory)
STOP_HANDLER(budget)
STOP_HANDLER(depth)
STOP_HANDLER(trap)

/* --- handlers for any registers --- */

#define DST regs[pc->dst]
#define SRC regs[pc->src]
#define STOP(reason)                                                                               \
    do {                                                                                           \
        RESTORE;                                                                                   \
        MUSTTAIL return stop_##reason(ARGUMENTS);                                                  \
    } while (0)
#define JUMPED                                                                                     \
    pc++;                                                                                          \
    RESTORE;                                                                                       \
    NEXT

#define OP(shape, name, code, selector, ...) SHAPE_##shape(name, __VA_ARGS__)
#define SHAPE_NONE(name, ...)
#define SHAPE_ANY(name, ...)                                                                       \
    static CONVENTION enum vm_stop op_##name(PARAMETERS)                                           \
    {                                                                                              \
        uint64_t *const regs = vm->regs;                                                           \
                                                                                                   \
        (void)regs;                                                                                \
        SAVE;                                                                                      \
        __VA_ARGS__ JUMPED;                                                                        \
    }
#define SHAPE_ONE SHAPE_ANY
#define SHAPE_PAIR SHAPE_ANY
#define SHAPE_LOAD SHAPE_ANY
#define SHAPE_STORE SHAPE_ANY
#define SHAPE_STORE_K SHAPE_ANY
#include "insns.inc"
#undef SHAPE_NONE
#undef SHAPE_ANY
#undef DST
#undef SRC
#undef STOP
#undef JUMPED

/* --- handlers without registers --- */

#define STOP(reason) MUSTTAIL return stop_##reason(ARGUMENTS)
#define JUMPED                                                                                     \
    pc++;                                                                                          \
    NEXT

#define SHAPE_NONE(name, ...)                                                                      \
    static CONVENTION enum vm_stop op_##name(PARAMETERS)                                           \
    {                                                                                              \
        __VA_ARGS__ JUMPED;                                                                        \
    }
#define SHAPE_ANY(name, ...)
#include "insns.inc"
#undef SHAPE_NONE
#undef SHAPE_ANY
#undef SHAPE_ONE
#undef SHAPE_PAIR
#undef SHAPE_LOAD
#undef SHAPE_STORE
#undef SHAPE_STORE_K
#undef OP

static handler *const handlers_of_any[OP_COUNT] = {
#define OP(shape, name, code, selector, ...) op_##name,
#include "insns.inc"
#undef OP
};

/* --- handlers for certain registers: pinned_registers.inc includes insns.inc for each --- */

#define REGISTER_0 r0
#define REGISTER_1 r1
#define REGISTER_2 r2
#define REGISTER_3 r3
#define REGISTER_4 r4
#define REGISTER_5 r5
#define REGISTER_6 r6
#define REGISTER_7 r7
#define REGISTER_8 r8
#define REGISTER_9 vm->regs[9]
#define REGISTER_10 vm->regs[10]

#define GLUE(a, b) a##b
#define REGISTER(number) GLUE(REGISTER_, number)
#define HANDLER_(name, d, s) op_##name##_##d##_##s
#define HANDLER(name, d, s) HANDLER_(name, d, s)

#define DST REGISTER(DST_NUMBER)
#define SRC REGISTER(SRC_NUMBER)

/* Line numbers for thousands of functions would cost a third of the compile time. */
#define NODEBUG __attribute__((nodebug))

#define FOR_REGISTERS(name, ...)                                                                   \
    static CONVENTION NODEBUG enum vm_stop HANDLER(name, DST_NUMBER, SRC_NUMBER)(PARAMETERS)       \
    {                                                                                              \
        __VA_ARGS__ JUMPED;                                                                        \
    }
#include "pinned_registers.inc"
#undef FOR_REGISTERS

static handler *const handlers[OP_COUNT][VM_REGISTERS][VM_REGISTERS] = {
#define FOR_REGISTERS(name, ...)                                                                   \
    [OP_##name][DST_NUMBER][SRC_NUMBER] = HANDLER(name, DST_NUMBER, SRC_NUMBER),
#include "pinned_registers.inc"
#undef FOR_REGISTERS
};

#undef DST
#undef SRC
#undef STOP
#undef JUMPED

#include "dispatch_fused.h"

void vm_link(struct vm_insn *insn)
{
    handler *chosen = find_fused(insn);

    if (!chosen)
        chosen = handlers[insn->op][insn->dst][insn->src];
    if (!chosen)
        chosen = handlers_of_any[insn->op];
    insn->handler = (void (*)(void))chosen;
}

enum vm_stop vm_run(struct vm *vm, const struct vm_insn *pc, int64_t budget)
{
    const uint64_t *const r = vm->regs;

    vm->budget = budget;
    return ((handler *)pc->handler)(pc, vm, r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]);
}
