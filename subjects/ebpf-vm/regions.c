/* The pinned form: a guess which region each access goes to. */
#include <stdlib.h>
#include <string.h>

#include "link.h"
#include "opcodes.h"

#ifdef VM_DISPATCH_PINNED

/* What is known of a value; the numbers of the regions, and what is no pointer. */
enum { PLAIN = 0, STACK = 1, MEMORY = 2, MOST_PASSES = 8, WORDS = VM_STACK_SIZE / 8 };

/* Before an instruction: of every register two bits, and one bit more once it has been reached. */
typedef uint32_t state;

struct guess {
    const struct vm_program *program;
    state *states;
    uint8_t words[WORDS]; /* what is stored in frames, of all functions, by distance from r10 */
    int changed;
};

static const state reached = UINT32_C(1) << 31;

static unsigned value_of(state state, unsigned reg)
{
    return state >> (2 * reg) & 3;
}

static state with(state old, unsigned reg, unsigned value)
{
    return (old & ~(UINT32_C(3) << (2 * reg))) | value << (2 * reg);
}

/* A pointer wins over what is none: nobody uses a null pointer. */
static void join(struct guess *guess, size_t at, state new)
{
    state *const old = &guess->states[at];
    state joined = *old | reached;

    if (at >= guess->program->length)
        return;
    for (unsigned reg = 0; reg < VM_REGISTERS; reg++)
        if (value_of(*old, reg) == PLAIN)
            joined = with(joined, reg, value_of(new, reg));
    guess->changed |= joined != *old;
    *old = joined;
}

static uint8_t *word_at(struct guess *guess, int32_t off)
{
    return off < 0 && off >= -VM_STACK_SIZE && off % 8 == 0 ? &guess->words[-off / 8 - 1] : NULL;
}

static state after(struct guess *guess, const struct vm_insn *insn, state state)
{
    const unsigned dst = value_of(state, insn->dst), src = value_of(state, insn->src);
    uint8_t *word;

    switch (insn->op) {
    case OP_mov64_x:
        return with(state, insn->dst, src);
    case OP_add64_x:
        return with(state, insn->dst, dst == PLAIN ? src : dst);
    case OP_sub64_x:
        return with(state, insn->dst, src == PLAIN ? dst : PLAIN);
    case OP_add64_k:
    case OP_sub64_k:
        return state;
    case OP_ldxdw:
        word = insn->src == VM_FRAME_REGISTER ? word_at(guess, insn->off) : NULL;
        return with(state, insn->dst, word ? *word : PLAIN);
    case OP_stxdw:
        word = insn->dst == VM_FRAME_REGISTER ? word_at(guess, insn->off) : NULL;
        if (word && *word == PLAIN && src != PLAIN) {
            *word = (uint8_t)src;
            guess->changed = 1;
        }
        return state;
    case OP_call:
    case OP_call_local:
        for (unsigned reg = 0; reg <= 5; reg++)
            state = with(state, reg, PLAIN);
        return state;
    default: {
        const uint8_t code = vm_code_of((enum vm_op)insn->op);

        if (bpf_is_alu(code) || bpf_class_of(code) == BPF_LDX || bpf_class_of(code) == BPF_LD)
            state = with(state, insn->dst, PLAIN);
        return state;
    }
    }
}

static void pass(struct guess *guess)
{
    const struct vm_program *program = guess->program;

    for (size_t at = 0; at < program->length; at++) {
        const struct vm_insn *insn = &program->insns[at];
        const uint8_t code = vm_code_of((enum vm_op)insn->op);
        const size_t target = at + 1 + (size_t)(insn->off / (int32_t)sizeof(*insn));
        const state before = guess->states[at];

        if (!(before & reached) || insn->op == OP_trap || bpf_is_exit(code))
            continue;
        if (bpf_is_branch(code) || insn->op == OP_call_local)
            join(guess, target, before);
        if (!bpf_is_ja(code))
            join(guess, at + (insn->op == OP_lddw ? 2 : 1), after(guess, insn, before));
    }
}

int vm_guess_regions(const struct vm_program *program, uint8_t *regions)
{
    struct guess guess = {.program = program};

    guess.states = calloc(program->length + 1, sizeof(*guess.states));
    if (!guess.states)
        return -1;
    guess.states[program->entry] = with(with(reached, 1, MEMORY), VM_FRAME_REGISTER, STACK);
    guess.changed = 1;
    for (int i = 0; i < MOST_PASSES && guess.changed; i++) {
        guess.changed = 0;
        pass(&guess);
    }
    for (size_t at = 0; at < program->length; at++) {
        const struct vm_insn *insn = &program->insns[at];
        const int load = bpf_class_of(vm_code_of((enum vm_op)insn->op)) == BPF_LDX;

        const unsigned base = load ? insn->src : insn->dst;

        regions[at] = value_of(guess.states[at], base) == STACK ? STACK : MEMORY;
    }
    free(guess.states);
    return 0;
}

#else
typedef int vm_regions_are_of_the_pinned_form;
#endif
