/* The pinned form: from decoded instructions to steps. */
#include <stdlib.h>

#include "link.h"
#include "opcodes.h"

#ifdef VM_DISPATCH_PINNED

enum {
    NOTHING = -1,
    FIRST_CONSTANT = offsetof(struct vm, constants) / sizeof(uint64_t),
    FIRST_REACH = offsetof(struct vm, reach) / sizeof(uint64_t),
};

_Static_assert(FIRST_CONSTANT + VM_CONSTANTS <= NO_REGISTER, "a slot has a byte");

struct meaning {
    enum vm_step step;
    int left;
    int right;
};

static const struct meaning none = {STEP_none, 0, 0};

/* The slot of a constant; a new one while there is room. */
static int constant(struct vm_program *program, uint64_t value)
{
    for (size_t i = 0; i < program->constants_count; i++)
        if (program->constants[i] == value)
            return FIRST_CONSTANT + (int)i;
    if (program->constants_count == VM_CONSTANTS)
        return NOTHING;
    program->constants[program->constants_count++] = value;
    return FIRST_CONSTANT + (int)program->constants_count - 1;
}

static int inside_frame(int32_t off, int base, int32_t size)
{
    return base == VM_FRAME_REGISTER && off >= -VM_STACK_SIZE && off <= -size;
}

static struct meaning meaning_of(struct vm_program *program, const struct vm_insn *insn)
{
    const int dst = insn->dst, src = insn->src;
    const uint64_t imm = insn->wide;

/* An operation with a register, and with a constant. */
#define REGISTER(name, step)                                                                       \
    case OP_##name:                                                                                \
        return (struct meaning){STEP_##step, dst, src};
#define CONSTANT(name, step, value)                                                                \
    case OP_##name:                                                                                \
        return (struct meaning){STEP_##step, dst, constant(program, value)};
#define BOTH(name) REGISTER(name##_x, name) CONSTANT(name##_k, name, imm)

/* There are no steps for a > b and a <= b: with registers they are b < a and b >= a, with a constant
 * a >= b + 1 and a < b + 1, unless that is too large. */
#define BEYOND(name, with_register, with_constant, type, greatest)                                 \
    case OP_##name##_x:                                                                            \
        return (struct meaning){STEP_##with_register, src, dst};                                   \
    case OP_##name##_k:                                                                            \
        if ((type)imm == (greatest))                                                               \
            return none;                                                                           \
        return (struct meaning){STEP_##with_constant, dst, constant(program, imm + 1)};

/* By way of r10, inside the frame of the function: nothing to check. */
#define FRAME_LOAD(name, in_frame, size)                                                           \
    case OP_##name:                                                                                \
        return (struct meaning){                                                                   \
            inside_frame(insn->off, src, size) ? STEP_##in_frame : STEP_##name, dst, src};
#define FRAME_STORE(name, step, in_frame, size, value)                                             \
    case OP_##name:                                                                                \
        return (struct meaning){                                                                   \
            inside_frame(insn->off, dst, size) ? STEP_##in_frame : STEP_##step, dst, value};

    switch (insn->op) {
        BOTH(add64)
        BOTH(add32)
        REGISTER(sub64_x, sub64)
        REGISTER(sub32_x, sub32)
        CONSTANT(sub64_k, add64, 0 - imm)
        CONSTANT(sub32_k, add32, 0 - imm)
        BOTH(mul64)
        BOTH(mul32)
        BOTH(or64)
        BOTH(or32)
        BOTH(xor64)
        BOTH(xor32)
        BOTH(lsh64)
        BOTH(lsh32)
        BOTH(rsh64)
        BOTH(rsh32)
        BOTH(arsh64)
        BOTH(arsh32)
        BOTH(and64)
        REGISTER(and32_x, and32)
        CONSTANT(and32_k, and64, (uint32_t)imm)
        BOTH(mov64)
        REGISTER(mov32_x, mov32)
        CONSTANT(mov32_k, mov64, (uint32_t)imm)
        FRAME_LOAD(ldxb, fldb, 1)
        FRAME_LOAD(ldxh, fldh, 2)
        FRAME_LOAD(ldxw, fldw, 4)
        FRAME_LOAD(ldxdw, flddw, 8)
        REGISTER(ldxsb, ldxsb)
        REGISTER(ldxsh, ldxsh)
        REGISTER(ldxsw, ldxsw)
        FRAME_STORE(stxb, stxb, fstb, 1, src)
        FRAME_STORE(stxh, stxh, fsth, 2, src)
        FRAME_STORE(stxw, stxw, fstw, 4, src)
        FRAME_STORE(stxdw, stxdw, fstdw, 8, src)
        FRAME_STORE(stb, stxb, fstb, 1, constant(program, imm))
        FRAME_STORE(sth, stxh, fsth, 2, constant(program, imm))
        FRAME_STORE(stw, stxw, fstw, 4, constant(program, imm))
        FRAME_STORE(stdw, stxdw, fstdw, 8, constant(program, imm))
        BOTH(jeq64)
        BOTH(jeq32)
        BOTH(jne64)
        BOTH(jne32)
        BOTH(jset64)
        BOTH(jset32)
        BOTH(jlt64)
        BOTH(jlt32)
        BOTH(jge64)
        BOTH(jge32)
        BOTH(jslt64)
        BOTH(jslt32)
        BOTH(jsge64)
        BOTH(jsge32)
        BEYOND(jgt64, jlt64, jge64, uint64_t, UINT64_MAX)
        BEYOND(jgt32, jlt32, jge32, uint32_t, UINT32_MAX)
        BEYOND(jle64, jge64, jlt64, uint64_t, UINT64_MAX)
        BEYOND(jle32, jge32, jlt32, uint32_t, UINT32_MAX)
        BEYOND(jsgt64, jslt64, jsge64, int64_t, INT64_MAX)
        BEYOND(jsgt32, jslt32, jsge32, int32_t, INT32_MAX)
        BEYOND(jsle64, jsge64, jslt64, int64_t, INT64_MAX)
        BEYOND(jsle32, jsge32, jslt32, int32_t, INT32_MAX)
    case OP_ja:
    case OP_ja32:
        return (struct meaning){STEP_ja, 0, 0};
    default:
        return none;
    }
}

static int is_access(enum vm_step step)
{
    return step >= STEP_ldxb && step <= STEP_stxdw;
}

static int in_frame(enum vm_step step)
{
    return (step >= STEP_fldb && step <= STEP_flddw) || (step >= STEP_fstb && step <= STEP_fstdw);
}

int vm_find_steps(struct vm_program *program, uint8_t *steps, struct vm_error *error)
{
    uint8_t *const regions = calloc(program->length, 1);

    free(program->constants);
    program->constants_count = 0;
    program->constants = calloc(VM_CONSTANTS, sizeof(*program->constants));
    if (!regions || !program->constants || vm_guess_regions(program, regions)) {
        free(regions);
        return vm_fail(error, "out of memory");
    }
    for (size_t at = 0; at < program->length; at++) {
        struct vm_insn *insn = &program->insns[at];
        const struct meaning meaning = meaning_of(program, insn);

        if (meaning.step == STEP_none || meaning.right == NOTHING)
            continue;
        steps[at] = (uint8_t)meaning.step;
        insn->slots = (uint64_t)meaning.left | (uint64_t)meaning.right << 8;
        if (in_frame(meaning.step)) {
            insn->wide = (uint64_t)(int64_t)insn->off;
        } else if (is_access(meaning.step)) {
            insn->wide = (uint64_t)(int64_t)insn->off - ((uint64_t)regions[at] << 32);
            insn->reach = (uint8_t)(FIRST_REACH + regions[at] * sizeof(struct vm_reach) / 8);
        }
    }
    /* A stretch finds the slots of all its steps in its first instruction. */
    for (size_t at = 0; at < program->length; at++)
        for (size_t i = 1; i < 4 && at + i < program->length; i++)
            program->insns[at].slots |= (program->insns[at + i].slots & 0xffff) << 16 * i;
    free(regions);
    return 0;
}

/* Every jump target begins anew. */
void vm_find_recent(const struct vm_program *program, uint8_t *recent)
{
    uint8_t last = NO_REGISTER;

    for (size_t at = 0; at < program->length; at++)
        recent[at] = 0;
    for (size_t at = 0; at < program->length; at++) {
        const struct vm_insn *insn = &program->insns[at];

        if (bpf_is_branch(vm_code_of((enum vm_op)insn->op)) || insn->op == OP_call_local)
            recent[at + 1 + (size_t)(insn->off / (int32_t)sizeof(*insn))] = 1;
    }
    for (size_t at = 0; at < program->length; at++) {
        const struct vm_insn *insn = &program->insns[at];
        const uint8_t code = vm_code_of((enum vm_op)insn->op);

        if (recent[at])
            last = NO_REGISTER;
        recent[at] = last;
        if (bpf_is_call(code) || bpf_is_atomic(code))
            last = NO_REGISTER;
        else if (bpf_is_alu(code) || bpf_class_of(code) == BPF_LDX || insn->op == OP_lddw)
            last = insn->dst;
    }
}

int vm_link(struct vm_program *program, struct vm_error *error)
{
    uint8_t *const steps = calloc(program->length, 1);
    uint8_t *const recent = calloc(program->length, 1);
    uint32_t *const costs = calloc(program->length + 1, sizeof(*costs));
    int result = -1;

    program->constants = NULL;
    if (!steps || !recent || !costs)
        vm_fail(error, "out of memory");
    else
        result = vm_find_steps(program, steps, error);
    if (result == 0) {
        vm_find_recent(program, recent);
        vm_choose_handlers(program, steps, recent, costs);
    }
    free(steps);
    free(recent);
    free(costs);
    return result;
}

#else
/* ISO C wants something in every file. */
typedef int vm_link_is_of_the_pinned_form;
#endif
