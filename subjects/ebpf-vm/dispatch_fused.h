/* The superinstructions of fusions.inc, made from the same instructions as all else: each body of
 * insns.inc becomes a function, which is inlined wherever it is a step of a stretch. Part of
 * dispatch_pinned.h. */

/* What a step says beside where the next one is: go on, go there at once, or stop. */
enum step { STEP_ON, STEP_JUMPED, STEP_STOP };

#define DST *dst
#define SRC src
#define STOP(reason) return STEP_STOP + VM_STOP_##reason
#define JUMPED                                                                                     \
    *at = pc + 1;                                                                                  \
    return STEP_JUMPED

#define SHAPE_ONE(name, ...)                                                                       \
    static inline NODEBUG __attribute__((always_inline)) int step_##name(                          \
        const struct vm_insn **at, struct vm *vm, uint64_t *dst, uint64_t src)                     \
    {                                                                                              \
        const struct vm_insn *pc = *at;                                                            \
                                                                                                   \
        (void)vm, (void)dst, (void)src;                                                            \
        __VA_ARGS__ *at = pc + 1;                                                                  \
        return STEP_ON;                                                                            \
    }
#define SHAPE_NONE SHAPE_ONE
#define SHAPE_PAIR SHAPE_ONE
#define SHAPE_LOAD SHAPE_ONE
#define SHAPE_STORE SHAPE_ONE
#define SHAPE_STORE_K SHAPE_ONE
#define SHAPE_ANY(name, ...)
#define OP(shape, name, code, selector, ...) SHAPE_##shape(name, __VA_ARGS__)
#include "insns.inc"
#undef OP
#undef SHAPE_NONE
#undef SHAPE_ANY
#undef SHAPE_ONE
#undef SHAPE_PAIR
#undef SHAPE_LOAD
#undef SHAPE_STORE
#undef SHAPE_STORE_K
#undef DST
#undef SRC
#undef STOP
#undef JUMPED

/* --- a handler for each choice of A and B --- */

#define STEP(name, d, s)                                                                           \
    switch (step_##name(&pc, vm, &REGISTER(d), REGISTER(s))) {                                     \
    case STEP_ON:                                                                                  \
        break;                                                                                     \
    case STEP_JUMPED:                                                                              \
        NEXT;                                                                                      \
    case STEP_STOP + VM_STOP_memory:                                                               \
        MUSTTAIL return stop_memory(ARGUMENTS);                                                    \
    case STEP_STOP + VM_STOP_budget:                                                               \
        MUSTTAIL return stop_budget(ARGUMENTS);                                                    \
    default:                                                                                       \
        __builtin_unreachable();                                                                   \
    }

#define PICK_A(a, b) a
#define PICK_B(a, b) b
#define STEP_OF(name, d, s, a, b) STEP(name, PICK_##d(a, b), PICK_##s(a, b))

#define TENFOLD(F, ...)                                                                            \
    F(0, __VA_ARGS__) F(1, __VA_ARGS__) F(2, __VA_ARGS__) F(3, __VA_ARGS__) F(4, __VA_ARGS__)      \
    F(5, __VA_ARGS__) F(6, __VA_ARGS__) F(7, __VA_ARGS__) F(8, __VA_ARGS__) F(9, __VA_ARGS__)
#define TENFOLD_AGAIN(F, ...)                                                                      \
    F(0, __VA_ARGS__) F(1, __VA_ARGS__) F(2, __VA_ARGS__) F(3, __VA_ARGS__) F(4, __VA_ARGS__)      \
    F(5, __VA_ARGS__) F(6, __VA_ARGS__) F(7, __VA_ARGS__) F(8, __VA_ARGS__) F(9, __VA_ARGS__)
#define WITHOUT_B(a, F, ...) F(0, a, __VA_ARGS__)
#define WITH_EACH_B(a, F, ...) TENFOLD_AGAIN(F, a, __VA_ARGS__)
#define REGISTERS_1(F, ...) TENFOLD(WITHOUT_B, F, __VA_ARGS__)
#define REGISTERS_2(F, ...) TENFOLD(WITH_EACH_B, F, __VA_ARGS__)

#define FUSED_2(n1, d1, s1, n2, d2, s2) op_##n1##_##n2##_##d1##s1##d2##s2
#define FUSED_3(n1, d1, s1, n2, d2, s2, n3, d3, s3)                                                \
    op_##n1##_##n2##_##n3##_##d1##s1##d2##s2##d3##s3
#define FUSED_4(n1, d1, s1, n2, d2, s2, n3, d3, s3, n4, d4, s4)                                    \
    op_##n1##_##n2##_##n3##_##n4##_##d1##s1##d2##s2##d3##s3##d4##s4

#define FUSED_NAME__(stretch, a, b) stretch##_##a##_##b
#define FUSED_NAME_(stretch, a, b) FUSED_NAME__(stretch, a, b)
#define FUSED_HANDLER(stretch, a, b, ...)                                                          \
    static CONVENTION NODEBUG enum vm_stop FUSED_NAME_(stretch, a, b)(PARAMETERS)                  \
    {                                                                                              \
        __VA_ARGS__ NEXT;                                                                          \
    }

#define FUSE2_FOR(b, a, n1, d1, s1, n2, d2, s2)                                                    \
    FUSED_HANDLER(FUSED_2(n1, d1, s1, n2, d2, s2), a, b,                                           \
                  STEP_OF(n1, d1, s1, a, b) STEP_OF(n2, d2, s2, a, b))
#define FUSE3_FOR(b, a, n1, d1, s1, n2, d2, s2, n3, d3, s3)                                        \
    FUSED_HANDLER(FUSED_3(n1, d1, s1, n2, d2, s2, n3, d3, s3), a, b,                               \
                  STEP_OF(n1, d1, s1, a, b) STEP_OF(n2, d2, s2, a, b)                              \
                      STEP_OF(n3, d3, s3, a, b))
#define FUSE4_FOR(b, a, n1, d1, s1, n2, d2, s2, n3, d3, s3, n4, d4, s4)                            \
    FUSED_HANDLER(FUSED_4(n1, d1, s1, n2, d2, s2, n3, d3, s3, n4, d4, s4), a, b,                   \
                  STEP_OF(n1, d1, s1, a, b) STEP_OF(n2, d2, s2, a, b)                              \
                      STEP_OF(n3, d3, s3, a, b) STEP_OF(n4, d4, s4, a, b))

#define FUSE2(registers, ...) REGISTERS_##registers(FUSE2_FOR, __VA_ARGS__)
#define FUSE3(registers, ...) REGISTERS_##registers(FUSE3_FOR, __VA_ARGS__)
#define FUSE4(registers, ...) REGISTERS_##registers(FUSE4_FOR, __VA_ARGS__)
#include "fusions.inc"
#undef FUSE2
#undef FUSE3
#undef FUSE4

/* --- finding them --- */

struct fusion_step {
    uint16_t op;
    char dst;
    char src;
};

struct fusion {
    unsigned length;
    struct fusion_step steps[4];
    handler *handlers[10][10];
};

#define FUSION_STEP(name, d, s) {OP_##name, #d[0], #s[0]}
#define FUSED_ROW(b, a, stretch) [a][b] = FUSED_NAME_(stretch, a, b),
#define FUSE2(registers, n1, d1, s1, n2, d2, s2)                                                   \
    {2,                                                                                            \
     {FUSION_STEP(n1, d1, s1), FUSION_STEP(n2, d2, s2)},                                           \
     {REGISTERS_##registers(FUSED_ROW, FUSED_2(n1, d1, s1, n2, d2, s2))}},
#define FUSE3(registers, n1, d1, s1, n2, d2, s2, n3, d3, s3)                                       \
    {3,                                                                                            \
     {FUSION_STEP(n1, d1, s1), FUSION_STEP(n2, d2, s2), FUSION_STEP(n3, d3, s3)},                  \
     {REGISTERS_##registers(FUSED_ROW, FUSED_3(n1, d1, s1, n2, d2, s2, n3, d3, s3))}},
#define FUSE4(registers, n1, d1, s1, n2, d2, s2, n3, d3, s3, n4, d4, s4)                           \
    {4,                                                                                            \
     {FUSION_STEP(n1, d1, s1), FUSION_STEP(n2, d2, s2), FUSION_STEP(n3, d3, s3),                   \
      FUSION_STEP(n4, d4, s4)},                                                                    \
     {REGISTERS_##registers(FUSED_ROW, FUSED_4(n1, d1, s1, n2, d2, s2, n3, d3, s3, n4, d4, s4))}},

static const struct fusion fusions[] = {
#include "fusions.inc"
};

/* How many registers an instruction names, of those that make a difference here. */
static const uint8_t registers_named[OP_COUNT] = {
#define NAMED_NONE 0
#define NAMED_ANY 0
#define NAMED_ONE 1
#define NAMED_STORE_K 1
#define NAMED_PAIR 2
#define NAMED_LOAD 2
#define NAMED_STORE 2
#define OP(shape, name, code, selector, ...) NAMED_##shape,
#include "insns.inc"
#undef OP
};

/* Whether a register may be the A or B it is wanted for; `chosen` is 10 for one not yet known. */
static int choose(uint8_t chosen[2], char letter, uint8_t number)
{
    uint8_t *const place = &chosen[letter - 'A'];

    if (*place == 10)
        *place = number;
    return *place == number && number < 10;
}

/* The trap after each program ends every stretch. */
static handler *find_in(const struct fusion *fusion, const struct vm_insn *insn)
{
    uint8_t chosen[2] = {10, 10};

    for (unsigned i = 0; i < fusion->length; i++) {
        const struct fusion_step *step = &fusion->steps[i];
        const unsigned named = registers_named[insn[i].op];

        if (insn[i].op != step->op || (named > 0 && !choose(chosen, step->dst, insn[i].dst)) ||
            (named > 1 && !choose(chosen, step->src, insn[i].src)))
            return NULL;
    }
    return fusion->handlers[chosen[0]][chosen[1] % 10];
}

static handler *find_fused(const struct vm_insn *insn)
{
    for (size_t i = 0; i < sizeof(fusions) / sizeof(*fusions); i++) {
        handler *const found = find_in(&fusions[i], insn);

        if (found)
            return found;
    }
    return NULL;
}
