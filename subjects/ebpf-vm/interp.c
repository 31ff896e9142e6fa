/* The forms of dispatch. The compiler's command line picks one; the instructions themselves are
 * in insns.inc and the same for all. */
#include <string.h>

#include "memory.h"
#include "opcodes.h"
#include "vm.h"

#if defined(VM_DISPATCH_SWITCH) + defined(VM_DISPATCH_GOTO) + defined(VM_DISPATCH_TAIL) +          \
        defined(VM_DISPATCH_PINNED) !=                                                             \
    1
#error "give exactly one of -DVM_DISPATCH_SWITCH, _GOTO, _TAIL and _PINNED"
#endif

#ifdef VM_DISPATCH_PINNED
#include "attributes.h"
#ifndef VM_ATTRIBUTE_MISSING
#include "link.h"
#include "dispatch_pinned.h"
#endif
#else

#define DST regs[pc->dst]
#define SRC regs[pc->src]
#define BUDGET budget
#define SPEND(amount)                                                                              \
    budget += (amount);                                                                            \
    if (VM_UNLIKELY(budget < 0))                                                                   \
        STOP(budget)
#define FOLLOW(target) target
#define STORED IMM
#define JUMPED

#ifdef VM_DISPATCH_TAIL
#include "dispatch_tail.h"
#else

#define STOP(reason)                                                                               \
    do {                                                                                           \
        why = VM_STOP_##reason;                                                                    \
        goto stopped;                                                                              \
    } while (0)

enum vm_stop vm_run(struct vm *vm, const struct vm_insn *pc, int64_t budget)
{
    uint64_t *const regs = vm->regs;
    enum vm_stop why;

#ifdef VM_DISPATCH_SWITCH
    for (;; pc++) {
        switch (pc->op) {
#define OP(shape, name, code, selector, ...)                                                       \
    case OP_##name:                                                                                \
        __VA_ARGS__ break;
#include "insns.inc"
#undef OP
        default:
            __builtin_unreachable(); /* as for the other forms: decoding makes no other numbers */
        }
    }
#else
    static const void *const labels[OP_COUNT] = {
#define OP(shape, name, code, selector, ...) &&op_##name,
#include "insns.inc"
#undef OP
    };

    goto *labels[pc->op];
#define OP(shape, name, code, selector, ...)                                                       \
    op_##name : __VA_ARGS__ pc++;                                                                  \
    goto *labels[pc->op];
#include "insns.inc"
#undef OP
#endif

stopped:
    vm->stopped_at = pc;
    vm->budget = budget;
    return why;
}

#endif
#endif
