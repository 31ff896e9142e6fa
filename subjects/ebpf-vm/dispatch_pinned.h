/* The pinned form: tail calls as in dispatch_tail.h, with the registers r0 to r7 as arguments,
 * so that they stay in machine registers from one instruction to the next. Part of interp.c.
 *
 * Each has a copy in struct vm, which every write keeps up to date; r8, r9, r10 and the budget
 * are only there. A machine register cannot be picked by number, so there is a handler for each
 * register that may be written, while registers that are only read come from the copies. A load
 * so soon after the store would have to wait for it; so `p` is the value written last, whichever
 * register it went to. */

#define PARAMETERS                                                                                 \
    uint64_t r0, uint64_t r1, const struct vm_insn *pc, struct vm *vm, uint64_t r2, uint64_t r3,   \
        uint64_t r4, uint64_t r5, uint64_t r6, uint64_t r7, uint64_t p
#define ARGUMENTS r0, r1, pc, vm, r2, r3, r4, r5, r6, r7, p

typedef CONVENTION enum vm_stop handler(PARAMETERS);

/* Handlers begin with a cache line: they are small, many, and jumped to by address alone. */
#define ALIGNED __attribute__((aligned(64)))
/* Line numbers for thousands of functions would cost a third of the compile time. */
#define NODEBUG __attribute__((nodebug, aligned(64)))

#define SLOT(number) (*(const uint64_t *)((const char *)vm + 8 * (number)))
/* What a store of a constant stores; slot 0 is that of no step, whose immediate is still there. */
#define STORED ((uint8_t)(pc->slots >> 8) ? SLOT((uint8_t)(pc->slots >> 8)) : pc->wide)

#define NEXT MUSTTAIL return ((handler *)pc->handler)(ARGUMENTS)
#define STOP(reason) MUSTTAIL return stop_##reason(ARGUMENTS)

#define STOP_HANDLER(reason)                                                                       \
    static CONVENTION VM_COLD enum vm_stop stop_##reason(PARAMETERS)                               \
    {                                                                                              \
        (void)r0, (void)r1, (void)r2, (void)r3, (void)r4, (void)r5, (void)r6, (void)r7, (void)p;   \
        vm->stopped_at = pc;                                                                       \
        return VM_STOP_##reason;                                                                   \
    }
STOP_HANDLER(exit)
STOP_HANDLER(memory)
STOP_HANDLER(budget)
STOP_HANDLER(depth)
STOP_HANDLER(trap)

#define BUDGET vm->budget
/* The empty statement keeps the sum in a register: else the compiler adds in memory and loads it
 * again. */
#define SPEND(amount)                                                                              \
    int64_t left = vm->budget + (amount);                                                          \
    __asm__("" : "+r"(left));                                                                      \
    vm->budget = left;                                                                             \
    if (VM_UNLIKELY(left < 0))                                                                     \
    STOP(budget)

/* The target of a jump, guessed to be the one that this handler jumped to last: the processor
 * goes on with the guess before the offset has been loaded, and the comparison only confirms it.
 * The empty statement hides from the compiler that both are equal then. */
static inline const struct vm_insn *follow(struct vm *vm, unsigned place,
                                           const struct vm_insn *target)
{
    const struct vm_insn *const seen = vm->targets[place];
    const struct vm_insn *same = seen;

    __asm__("" : "+r"(same));
    if (VM_LIKELY(seen == target))
        return same;
    vm->targets[place] = target;
    return target;
}
#define FOLLOW(target) follow(vm, __COUNTER__ % VM_TARGETS, target)

#define OP(shape, name, code, selector, ...) SHAPE_##shape(name, __VA_ARGS__)

/* --- one handler: for instructions that write no register, or any --- */

#define DST regs[pc->dst]
#define SRC regs[pc->src]
#define JUMPED                                                                                     \
    pc++;                                                                                          \
    NEXT

#define SHAPE_READS(name, ...)                                                                     \
    static CONVENTION ALIGNED enum vm_stop op_##name(PARAMETERS)                                   \
    {                                                                                              \
        const uint64_t *const regs = vm->regs;                                                     \
                                                                                                   \
        (void)regs;                                                                                \
        __VA_ARGS__ JUMPED;                                                                        \
    }
#define SHAPE_WRITES(name, ...)
#define SHAPE_ANY(name, ...)
#include "insns.inc"
#undef SHAPE_READS
#undef SHAPE_ANY
#undef JUMPED

#define JUMPED                                                                                     \
    pc++;                                                                                          \
    r0 = regs[0], r1 = regs[1], r2 = regs[2], r3 = regs[3], r4 = regs[4], r5 = regs[5];            \
    r6 = regs[6], r7 = regs[7];                                                                    \
    NEXT

#define SHAPE_READS(name, ...)
#define SHAPE_ANY(name, ...)                                                                       \
    static CONVENTION ALIGNED enum vm_stop op_##name(PARAMETERS)                                   \
    {                                                                                              \
        uint64_t *const regs = vm->regs;                                                           \
                                                                                                   \
        __VA_ARGS__ JUMPED;                                                                        \
    }
#include "insns.inc"
#undef SHAPE_READS
#undef SHAPE_WRITES
#undef SHAPE_ANY
#undef DST
#undef SRC
#undef JUMPED

/* --- ten handlers: for instructions that write one register, which is not r10 --- */

#define REGISTER_0 r0
#define REGISTER_1 r1
#define REGISTER_2 r2
#define REGISTER_3 r3
#define REGISTER_4 r4
#define REGISTER_5 r5
#define REGISTER_6 r6
#define REGISTER_7 r7
#define REGISTER_8 vm->regs[8]
#define REGISTER_9 vm->regs[9]

/* A register in memory is loaded once, and not again by each instruction that uses it. */
static inline uint64_t loaded(uint64_t value)
{
    __asm__("" : "+r"(value));
    return value;
}

#define VALUE_0 r0
#define VALUE_1 r1
#define VALUE_2 r2
#define VALUE_3 r3
#define VALUE_4 r4
#define VALUE_5 r5
#define VALUE_6 r6
#define VALUE_7 r7
#define VALUE_8 loaded(vm->regs[8])
#define VALUE_9 loaded(vm->regs[9])

#define GLUE_(a, b) a##b
#define GLUE(a, b) GLUE_(a, b)
#define REGISTER(number) GLUE(REGISTER_, number)
#define VALUE(number) GLUE(VALUE_, number)

#define TENFOLD(F, ...)                                                                            \
    F(0, __VA_ARGS__) F(1, __VA_ARGS__) F(2, __VA_ARGS__) F(3, __VA_ARGS__) F(4, __VA_ARGS__)      \
    F(5, __VA_ARGS__) F(6, __VA_ARGS__) F(7, __VA_ARGS__) F(8, __VA_ARGS__) F(9, __VA_ARGS__)

#define SRC vm->regs[pc->src]
#define JUMPED /* no instruction of this shape jumps */
#define DST written

#define WRITES_TO(number, name, ...)                                                               \
    static CONVENTION NODEBUG enum vm_stop op_##name##_##number(PARAMETERS)                        \
    {                                                                                              \
        uint64_t written = VALUE(number);                                                          \
                                                                                                   \
        __VA_ARGS__ REGISTER(number) = written;                                                    \
        vm->regs[number] = p = written;                                                            \
        pc++;                                                                                      \
        NEXT;                                                                                      \
    }
#define SHAPE_READS(name, ...)
#define SHAPE_WRITES(name, ...) TENFOLD(WRITES_TO, name, __VA_ARGS__)
#define SHAPE_ANY(name, ...)
#include "insns.inc"
#undef SHAPE_READS
#undef SHAPE_WRITES
#undef SHAPE_ANY
#undef DST
#undef SRC
#undef JUMPED

static handler *const handlers[OP_COUNT][10] = {
#define SHAPE_READS(name, ...) [OP_##name] = {op_##name},
#define SHAPE_WRITES(name, ...)                                                                    \
    [OP_##name] = {op_##name##_0, op_##name##_1, op_##name##_2, op_##name##_3, op_##name##_4,      \
                   op_##name##_5, op_##name##_6, op_##name##_7, op_##name##_8, op_##name##_9},
#define SHAPE_ANY(name, ...) [OP_##name] = {op_##name},
#include "insns.inc"
#undef SHAPE_READS
#undef SHAPE_WRITES
#undef SHAPE_ANY
};

#undef OP

/* Who executes one instruction in any case. */
static inline handler *handler_of(const struct vm_insn *insn)
{
    handler *const *of_op = handlers[insn->op];

    return of_op[1] ? of_op[insn->dst] : of_op[0];
}

/* Executes one instruction alone. */
static CONVENTION VM_COLD NODEBUG enum vm_stop alone(PARAMETERS)
{
    MUSTTAIL return handler_of(pc)(ARGUMENTS);
}

#include "dispatch_stretch.h"

enum vm_stop vm_run(struct vm *vm, const struct vm_insn *pc, int64_t budget)
{
    const uint64_t *const r = vm->regs;

    vm->budget = budget;
    return ((handler *)pc->handler)(r[0], r[1], pc, vm, r[2], r[3], r[4], r[5], r[6], r[7], 0);
}
