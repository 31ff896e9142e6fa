/* Stretches: several steps (steps.h) that one handler executes. stretches.inc lists them; here they
 * are made, and chosen for a program. Part of dispatch_pinned.h. */

/* --- steps ---
 *
 * `i` is the number of the step, `d` and `s` the letters of its operands, `a_` and `b_` the
 * registers that the letters A and B stand for in this handler. P is the register written last
 * before the stretch; X is any register or constant, in memory. What a step writes is A or B. */

#define PICK_A(a, b) a
#define PICK_B(a, b) b
#define NUMBER(letter, a, b) PICK_##letter(a, b)

/* The value of d or s of step i. */
#define VALUE_OF_A(byte, a, b) VALUE(a)
#define VALUE_OF_B(byte, a, b) VALUE(b)
#define VALUE_OF_P(byte, a, b) last
#define VALUE_OF_X(byte, a, b) SLOT((uint8_t)(slots >> 8 * (byte)))
#define D(i, d, a, b) VALUE_OF_##d(2 * (i), a, b)
#define S(i, s, a, b) VALUE_OF_##s(2 * (i) + 1, a, b)

#define SET(d, value, a, b)                                                                        \
    REGISTER(NUMBER(d, a, b)) = (value);                                                           \
    vm->regs[NUMBER(d, a, b)] = p = (value)

/* A step that cannot be done here is done by the handler of its one instruction: an access to
 * another region than was guessed, or out of bounds. */
#define ALONE(i)                                                                                   \
    pc += i;                                                                                       \
    MUSTTAIL return alone(ARGUMENTS)

#define WRITE(i, d, s, a_, b_, type, ...)                                                          \
    {                                                                                              \
        const type a = (type)D(i, d, a_, b_), b = (type)S(i, s, a_, b_);                           \
        const uint64_t value = (type)(__VA_ARGS__);                                                \
                                                                                                   \
        (void)a;                                                                                   \
        SET(d, value, a_, b_);                                                                     \
    }

#define REACH(i, base, type)                                                                       \
    const uint64_t distance = (base) + pc[i].wide;                                                 \
    const struct vm_reach *const reach =                                                           \
        (const struct vm_reach *)((const char *)vm + 8 * pc[i].reach);                             \
    if (VM_UNLIKELY(distance >= reach->room[__builtin_ctz((unsigned)sizeof(type))])) {             \
        ALONE(i);                                                                                  \
    }

#define LOAD(i, d, s, a_, b_, type, wider)                                                         \
    {                                                                                              \
        type value;                                                                                \
        REACH(i, S(i, s, a_, b_), type)                                                            \
        memcpy(&value, reach->host + distance, sizeof(value));                                     \
        SET(d, (uint64_t)(wider)value, a_, b_);                                                    \
    }

#define STORE(i, d, s, a_, b_, type)                                                               \
    {                                                                                              \
        const type value = (type)S(i, s, a_, b_);                                                  \
        REACH(i, D(i, d, a_, b_), type)                                                            \
        memcpy(reach->host + distance, &value, sizeof(value));                                     \
    }

#define FRAME_LOAD(i, d, a_, b_, type)                                                             \
    {                                                                                              \
        type value;                                                                                \
        memcpy(&value, vm->frame + (int64_t)pc[i].wide, sizeof(value));                            \
        SET(d, (uint64_t)value, a_, b_);                                                           \
    }

#define FRAME_STORE(i, s, a_, b_, type)                                                            \
    {                                                                                              \
        const type value = (type)S(i, s, a_, b_);                                                  \
        memcpy(vm->frame + (int64_t)pc[i].wide, &value, sizeof(value));                            \
    }

#define TEST(i, d, s, a_, b_, type, ...)                                                           \
    {                                                                                              \
        const type a = (type)D(i, d, a_, b_), b = (type)S(i, s, a_, b_);                           \
                                                                                                   \
        (void)a, (void)b;                                                                          \
        if (__VA_ARGS__) {                                                                         \
            pc += i;                                                                               \
            SPEND(pc->off);                                                                        \
            pc = FOLLOW(vm_jump(pc, pc->off)) + 1;                                                 \
            NEXT;                                                                                  \
        }                                                                                          \
    }

#define DO_mov64(i, d, s, a_, b_) WRITE(i, d, s, a_, b_, uint64_t, b)
#define DO_mov32(i, d, s, a_, b_) WRITE(i, d, s, a_, b_, uint32_t, b)
#define DO_add64(i, d, s, a_, b_) WRITE(i, d, s, a_, b_, uint64_t, a + b)
#define DO_add32(i, d, s, a_, b_) WRITE(i, d, s, a_, b_, uint32_t, a + b)
#define DO_sub64(i, d, s, a_, b_) WRITE(i, d, s, a_, b_, uint64_t, a - b)
#define DO_sub32(i, d, s, a_, b_) WRITE(i, d, s, a_, b_, uint32_t, a - b)
#define DO_mul64(i, d, s, a_, b_) WRITE(i, d, s, a_, b_, uint64_t, a * b)
#define DO_mul32(i, d, s, a_, b_) WRITE(i, d, s, a_, b_, uint32_t, a * b)
#define DO_and64(i, d, s, a_, b_) WRITE(i, d, s, a_, b_, uint64_t, a & b)
#define DO_and32(i, d, s, a_, b_) WRITE(i, d, s, a_, b_, uint32_t, a & b)
#define DO_or64(i, d, s, a_, b_) WRITE(i, d, s, a_, b_, uint64_t, a | b)
#define DO_or32(i, d, s, a_, b_) WRITE(i, d, s, a_, b_, uint32_t, a | b)
#define DO_xor64(i, d, s, a_, b_) WRITE(i, d, s, a_, b_, uint64_t, a ^ b)
#define DO_xor32(i, d, s, a_, b_) WRITE(i, d, s, a_, b_, uint32_t, a ^ b)
#define DO_lsh64(i, d, s, a_, b_) WRITE(i, d, s, a_, b_, uint64_t, a << (b & 63))
#define DO_lsh32(i, d, s, a_, b_) WRITE(i, d, s, a_, b_, uint32_t, a << (b & 31))
#define DO_rsh64(i, d, s, a_, b_) WRITE(i, d, s, a_, b_, uint64_t, a >> (b & 63))
#define DO_rsh32(i, d, s, a_, b_) WRITE(i, d, s, a_, b_, uint32_t, a >> (b & 31))
#define DO_arsh64(i, d, s, a_, b_) WRITE(i, d, s, a_, b_, uint64_t, (int64_t)a >> (b & 63))
#define DO_arsh32(i, d, s, a_, b_) WRITE(i, d, s, a_, b_, uint32_t, (int32_t)a >> (b & 31))

#define DO_ldxb(i, d, s, a_, b_) LOAD(i, d, s, a_, b_, uint8_t, uint64_t)
#define DO_ldxh(i, d, s, a_, b_) LOAD(i, d, s, a_, b_, uint16_t, uint64_t)
#define DO_ldxw(i, d, s, a_, b_) LOAD(i, d, s, a_, b_, uint32_t, uint64_t)
#define DO_ldxdw(i, d, s, a_, b_) LOAD(i, d, s, a_, b_, uint64_t, uint64_t)
#define DO_ldxsb(i, d, s, a_, b_) LOAD(i, d, s, a_, b_, int8_t, int64_t)
#define DO_ldxsh(i, d, s, a_, b_) LOAD(i, d, s, a_, b_, int16_t, int64_t)
#define DO_ldxsw(i, d, s, a_, b_) LOAD(i, d, s, a_, b_, int32_t, int64_t)
#define DO_stxb(i, d, s, a_, b_) STORE(i, d, s, a_, b_, uint8_t)
#define DO_stxh(i, d, s, a_, b_) STORE(i, d, s, a_, b_, uint16_t)
#define DO_stxw(i, d, s, a_, b_) STORE(i, d, s, a_, b_, uint32_t)
#define DO_stxdw(i, d, s, a_, b_) STORE(i, d, s, a_, b_, uint64_t)
#define DO_fldb(i, d, s, a_, b_) FRAME_LOAD(i, d, a_, b_, uint8_t)
#define DO_fldh(i, d, s, a_, b_) FRAME_LOAD(i, d, a_, b_, uint16_t)
#define DO_fldw(i, d, s, a_, b_) FRAME_LOAD(i, d, a_, b_, uint32_t)
#define DO_flddw(i, d, s, a_, b_) FRAME_LOAD(i, d, a_, b_, uint64_t)
#define DO_fstb(i, d, s, a_, b_) FRAME_STORE(i, s, a_, b_, uint8_t)
#define DO_fsth(i, d, s, a_, b_) FRAME_STORE(i, s, a_, b_, uint16_t)
#define DO_fstw(i, d, s, a_, b_) FRAME_STORE(i, s, a_, b_, uint32_t)
#define DO_fstdw(i, d, s, a_, b_) FRAME_STORE(i, s, a_, b_, uint64_t)

#define DO_jeq64(i, d, s, a_, b_) TEST(i, d, s, a_, b_, uint64_t, a == b)
#define DO_jeq32(i, d, s, a_, b_) TEST(i, d, s, a_, b_, uint32_t, a == b)
#define DO_jne64(i, d, s, a_, b_) TEST(i, d, s, a_, b_, uint64_t, a != b)
#define DO_jne32(i, d, s, a_, b_) TEST(i, d, s, a_, b_, uint32_t, a != b)
#define DO_jlt64(i, d, s, a_, b_) TEST(i, d, s, a_, b_, uint64_t, a < b)
#define DO_jlt32(i, d, s, a_, b_) TEST(i, d, s, a_, b_, uint32_t, a < b)
#define DO_jge64(i, d, s, a_, b_) TEST(i, d, s, a_, b_, uint64_t, a >= b)
#define DO_jge32(i, d, s, a_, b_) TEST(i, d, s, a_, b_, uint32_t, a >= b)
#define DO_jset64(i, d, s, a_, b_) TEST(i, d, s, a_, b_, uint64_t, (a & b) != 0)
#define DO_jset32(i, d, s, a_, b_) TEST(i, d, s, a_, b_, uint32_t, (a & b) != 0)
#define DO_jslt64(i, d, s, a_, b_) TEST(i, d, s, a_, b_, int64_t, a < b)
#define DO_jslt32(i, d, s, a_, b_) TEST(i, d, s, a_, b_, int32_t, a < b)
#define DO_jsge64(i, d, s, a_, b_) TEST(i, d, s, a_, b_, int64_t, a >= b)
#define DO_jsge32(i, d, s, a_, b_) TEST(i, d, s, a_, b_, int32_t, a >= b)
#define DO_ja(i, d, s, a_, b_) TEST(i, d, s, a_, b_, uint64_t, 1)

/* --- handlers --- */

#define NAME_1(k1, d1, s1) op_##k1##_##d1##s1
#define NAME_2(k1, d1, s1, k2, d2, s2) op_##k1##_##k2##_##d1##s1##d2##s2
#define NAME_3(k1, d1, s1, k2, d2, s2, k3, d3, s3)                                                 \
    op_##k1##_##k2##_##k3##_##d1##s1##d2##s2##d3##s3
#define NAME_4(k1, d1, s1, k2, d2, s2, k3, d3, s3, k4, d4, s4)                                     \
    op_##k1##_##k2##_##k3##_##k4##_##d1##s1##d2##s2##d3##s3##d4##s4
#define HANDLER__(name, a, b) name##_##a##_##b
#define HANDLER_(name, a, b) HANDLER__(name, a, b)
#define HANDLER(length, a, b, ...) HANDLER_(NAME_##length(__VA_ARGS__), a, b)

#define DO_1(i, a, b, k1, d1, s1) DO_##k1(i, d1, s1, a, b)
#define DO_2(i, a, b, k1, d1, s1, ...) DO_1(i, a, b, k1, d1, s1) DO_1(i + 1, a, b, __VA_ARGS__)
#define DO_3(i, a, b, k1, d1, s1, ...) DO_1(i, a, b, k1, d1, s1) DO_2(i + 1, a, b, __VA_ARGS__)
#define DO_4(i, a, b, k1, d1, s1, ...) DO_1(i, a, b, k1, d1, s1) DO_3(i + 1, a, b, __VA_ARGS__)

#define MAKE(b, a, length, ...)                                                                    \
    static CONVENTION NODEBUG enum vm_stop HANDLER(length, a, b, __VA_ARGS__)(PARAMETERS)          \
    {                                                                                              \
        const uint64_t slots = pc->slots, last = p;                                                \
                                                                                                   \
        (void)slots, (void)last;                                                                   \
        DO_##length(0, a, b, __VA_ARGS__)                                                          \
        pc += length;                                                                              \
        NEXT;                                                                                      \
    }
#define ENTER(b, a, length, ...) [10 * a + b] = HANDLER(length, a, b, __VA_ARGS__),

/* For each pair of different registers, each register, or once. */
#define OTHERS(F, a, b1, b2, b3, b4, b5, b6, b7, b8, b9, ...)                                      \
    F(b1, a, __VA_ARGS__) F(b2, a, __VA_ARGS__) F(b3, a, __VA_ARGS__) F(b4, a, __VA_ARGS__)        \
    F(b5, a, __VA_ARGS__) F(b6, a, __VA_ARGS__) F(b7, a, __VA_ARGS__) F(b8, a, __VA_ARGS__)        \
    F(b9, a, __VA_ARGS__)
#define FOR_2(F, ...)                                                                              \
    OTHERS(F, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, __VA_ARGS__)                                           \
    OTHERS(F, 1, 0, 2, 3, 4, 5, 6, 7, 8, 9, __VA_ARGS__)                                           \
    OTHERS(F, 2, 0, 1, 3, 4, 5, 6, 7, 8, 9, __VA_ARGS__)                                           \
    OTHERS(F, 3, 0, 1, 2, 4, 5, 6, 7, 8, 9, __VA_ARGS__)                                           \
    OTHERS(F, 4, 0, 1, 2, 3, 5, 6, 7, 8, 9, __VA_ARGS__)                                           \
    OTHERS(F, 5, 0, 1, 2, 3, 4, 6, 7, 8, 9, __VA_ARGS__)                                           \
    OTHERS(F, 6, 0, 1, 2, 3, 4, 5, 7, 8, 9, __VA_ARGS__)                                           \
    OTHERS(F, 7, 0, 1, 2, 3, 4, 5, 6, 8, 9, __VA_ARGS__)                                           \
    OTHERS(F, 8, 0, 1, 2, 3, 4, 5, 6, 7, 9, __VA_ARGS__)                                           \
    OTHERS(F, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, __VA_ARGS__)
#define FOR_1(F, ...)                                                                              \
    F(0, 0, __VA_ARGS__) F(0, 1, __VA_ARGS__) F(0, 2, __VA_ARGS__) F(0, 3, __VA_ARGS__)            \
    F(0, 4, __VA_ARGS__) F(0, 5, __VA_ARGS__) F(0, 6, __VA_ARGS__) F(0, 7, __VA_ARGS__)            \
    F(0, 8, __VA_ARGS__) F(0, 9, __VA_ARGS__)
#define FOR_0(F, ...) F(0, 0, __VA_ARGS__)

/* One access alone is worth a handler too: its region has been guessed. */
#define NOTHING(name)
#define LOAD_ALONE(name) STRETCH(1, 1, name, A, X) STRETCH(1, 1, name, A, P)
#define STORE_ALONE(name)                                                                          \
    STRETCH(1, 0, name, X, X) STRETCH(1, 0, name, P, X) STRETCH(1, 0, name, X, P)
#define ACCESSES_ALONE VM_STEPS(NOTHING, LOAD_ALONE, STORE_ALONE, NOTHING)

#define STRETCH(length, registers, ...)                                                            \
    FOR_##registers(MAKE, length, __VA_ARGS__)                                                     \
    static handler *const GLUE(NAME_##length(__VA_ARGS__), _all)[] = {                             \
        FOR_##registers(ENTER, length, __VA_ARGS__)};
ACCESSES_ALONE
#ifndef VM_NO_STRETCHES
#include "stretches.inc"
#endif
#undef STRETCH

/* --- choosing --- */

struct stretch {
    uint8_t length;
    uint8_t steps[4];
    char slots[9]; /* letters, d and s of each step */
    handler *const *handlers;
};

#define ROW_1(k1, d1, s1) {STEP_##k1}, #d1 #s1
#define ROW_2(k1, d1, s1, k2, d2, s2) {STEP_##k1, STEP_##k2}, #d1 #s1 #d2 #s2
#define ROW_3(k1, d1, s1, k2, d2, s2, k3, d3, s3)                                                  \
    {STEP_##k1, STEP_##k2, STEP_##k3}, #d1 #s1 #d2 #s2 #d3 #s3
#define ROW_4(k1, d1, s1, k2, d2, s2, k3, d3, s3, k4, d4, s4)                                      \
    {STEP_##k1, STEP_##k2, STEP_##k3, STEP_##k4}, #d1 #s1 #d2 #s2 #d3 #s3 #d4 #s4
#define STRETCH(length, registers, ...)                                                            \
    {length, ROW_##length(__VA_ARGS__), GLUE(NAME_##length(__VA_ARGS__), _all)},

static const struct stretch stretches[] = {
    ACCESSES_ALONE
#ifndef VM_NO_STRETCHES
#include "stretches.inc"
#endif
};

enum { STRETCHES = sizeof(stretches) / sizeof(*stretches), UNKNOWN = 10 };

/* What executing one handler costs, and what more when it reads from memory what the handler
 * before it has just written there. */
enum { COST_OF_HANDLER = 10, COST_OF_WAITING = 4 };

struct match {
    uint8_t chosen[2];
    uint8_t recent;
    uint32_t cost;
};

/* Whether a slot may be the one that a letter stands for. */
static int fits(struct match *match, char letter, uint8_t slot)
{
    uint8_t *place;

    /* Unless it has been written again by a step before. */
    if (letter == 'P')
        return slot == match->recent && slot != match->chosen[0] && slot != match->chosen[1];
    if (letter == 'X') {
        if (slot == match->recent)
            match->cost = COST_OF_HANDLER + COST_OF_WAITING;
        return 1;
    }
    place = &match->chosen[letter - 'A'];
    if (*place == UNKNOWN && slot != match->chosen['B' - letter])
        *place = slot;
    return *place == slot && slot < UNKNOWN;
}

static handler *find_in(const struct stretch *stretch, struct match *match,
                        const struct vm_insn *insn, const uint8_t *steps)
{
    match->chosen[0] = match->chosen[1] = UNKNOWN;
    match->cost = COST_OF_HANDLER;
    for (unsigned i = 0; i < stretch->length; i++)
        if (steps[i] != stretch->steps[i] ||
            !fits(match, stretch->slots[2 * i], (uint8_t)insn[i].slots) ||
            !fits(match, stretch->slots[2 * i + 1], (uint8_t)(insn[i].slots >> 8)))
            return NULL;
    return stretch->handlers[10 * (match->chosen[0] % UNKNOWN) + match->chosen[1] % UNKNOWN];
}

/* Nothing follows an unconditional jump. */
static uint32_t cost_behind(const struct vm_program *program, size_t last, const uint32_t *costs)
{
    const uint16_t op = program->insns[last].op;

    return op == OP_ja || op == OP_ja32 || op == OP_exit ? 0 : costs[last + 1];
}

/* From the last instruction to the first, so that each begins the stretch after which it costs
 * least to get to the end of its straight line. */
void vm_choose_handlers(struct vm_program *program, const uint8_t *steps, const uint8_t *recent,
                        uint32_t *costs)
{
    const size_t length = program->length;

    program->insns[-1].handler = (void (*)(void))handler_of(&program->insns[-1]);
    program->insns[length].handler = (void (*)(void))handler_of(&program->insns[length]);
    for (size_t at = length; at-- > 0;) {
        struct vm_insn *insn = &program->insns[at];
        struct match match = {.recent = recent[at]};
        handler *chosen = handler_of(insn);

        costs[at] = COST_OF_HANDLER + cost_behind(program, at, costs);
        if ((uint8_t)(insn->slots >> 8) == recent[at])
            costs[at] += COST_OF_WAITING;
        for (size_t i = 0; i < STRETCHES && steps[at] != STEP_none; i++) {
            const struct stretch *stretch = &stretches[i];
            handler *found;
            uint32_t cost;

            if (stretch->steps[0] != steps[at] || stretch->length > length - at)
                continue;
            found = find_in(stretch, &match, insn, steps + at);
            if (!found)
                continue;
            cost = match.cost + cost_behind(program, at + stretch->length - 1, costs);
            if (cost > costs[at])
                continue;
            costs[at] = cost;
            chosen = found;
        }
        insn->handler = (void (*)(void))chosen;
    }
}
