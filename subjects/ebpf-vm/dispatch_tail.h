/* The tail-call form: every instruction a function of its own, ending in a call of the next one
 * that leaves no frame behind. Part of interp.c. */

#include "attributes.h"

#define PARAMETERS                                                                                 \
    const struct vm_insn *pc, uint64_t *regs, struct vm *vm, int64_t budget
#define ARGUMENTS pc, regs, vm, budget

typedef CONVENTION enum vm_stop handler(PARAMETERS);

#define OP(shape, name, code, selector, ...) handler op_##name;
#include "insns.inc"
#undef OP

static handler *const handlers[OP_COUNT] = {
#define OP(shape, name, code, selector, ...) op_##name,
#include "insns.inc"
#undef OP
};

#define STOP_HANDLER(reason)                                                                       \
    handler stop_##reason;                                                                         \
    CONVENTION VM_COLD enum vm_stop stop_##reason(PARAMETERS)                                      \
    {                                                                                              \
        (void)regs;                                                                                \
        vm->stopped_at = pc;                                                                       \
        vm->budget = budget;                                                                       \
        return VM_STOP_##reason;                                                                   \
    }

STOP_HANDLER(exit)
STOP_HANDLER(memory)
STOP_HANDLER(budget)
STOP_HANDLER(depth)
STOP_HANDLER(trap)

#define STOP(reason) MUSTTAIL return stop_##reason(ARGUMENTS)

#define OP(shape, name, code, selector, ...)                                                       \
    CONVENTION enum vm_stop op_##name(PARAMETERS)                                                  \
    {                                                                                              \
        __VA_ARGS__ pc++;                                                                          \
        MUSTTAIL return handlers[pc->op](ARGUMENTS);                                               \
    }
#include "insns.inc"
#undef OP

enum vm_stop vm_run(struct vm *vm, const struct vm_insn *pc, int64_t budget)
{
    return handlers[pc->op](pc, vm->regs, vm, budget);
}
