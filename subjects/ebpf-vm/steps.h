/* The steps that stretches of the pinned form are made of: what most instructions come down to when
 * it makes no difference whether an operand is a register or a constant. */
#ifndef EBPF_VM_STEPS_H
#define EBPF_VM_STEPS_H

/* Arithmetic writes a register, LOAD too, STORE and TEST write none. */
#define VM_STEPS(ARITHMETIC, LOAD, STORE, TEST)                                                    \
    ARITHMETIC(mov64)                                                                              \
    ARITHMETIC(mov32)                                                                              \
    ARITHMETIC(add64)                                                                              \
    ARITHMETIC(add32)                                                                              \
    ARITHMETIC(sub64)                                                                              \
    ARITHMETIC(sub32)                                                                              \
    ARITHMETIC(mul64)                                                                              \
    ARITHMETIC(mul32)                                                                              \
    ARITHMETIC(and64)                                                                              \
    ARITHMETIC(and32)                                                                              \
    ARITHMETIC(or64)                                                                               \
    ARITHMETIC(or32)                                                                               \
    ARITHMETIC(xor64)                                                                              \
    ARITHMETIC(xor32)                                                                              \
    ARITHMETIC(lsh64)                                                                              \
    ARITHMETIC(lsh32)                                                                              \
    ARITHMETIC(rsh64)                                                                              \
    ARITHMETIC(rsh32)                                                                              \
    ARITHMETIC(arsh64)                                                                             \
    ARITHMETIC(arsh32)                                                                             \
    LOAD(ldxb)                                                                                     \
    LOAD(ldxh)                                                                                     \
    LOAD(ldxw)                                                                                     \
    LOAD(ldxdw)                                                                                    \
    LOAD(ldxsb)                                                                                    \
    LOAD(ldxsh)                                                                                    \
    LOAD(ldxsw)                                                                                    \
    LOAD(fldb)                                                                                     \
    LOAD(fldh)                                                                                     \
    LOAD(fldw)                                                                                     \
    LOAD(flddw)                                                                                    \
    STORE(stxb)                                                                                    \
    STORE(stxh)                                                                                    \
    STORE(stxw)                                                                                    \
    STORE(stxdw)                                                                                   \
    STORE(fstb)                                                                                    \
    STORE(fsth)                                                                                    \
    STORE(fstw)                                                                                    \
    STORE(fstdw)                                                                                   \
    TEST(jeq64)                                                                                    \
    TEST(jeq32)                                                                                    \
    TEST(jne64)                                                                                    \
    TEST(jne32)                                                                                    \
    TEST(jlt64)                                                                                    \
    TEST(jlt32)                                                                                    \
    TEST(jge64)                                                                                    \
    TEST(jge32)                                                                                    \
    TEST(jset64)                                                                                   \
    TEST(jset32)                                                                                   \
    TEST(jslt64)                                                                                   \
    TEST(jslt32)                                                                                   \
    TEST(jsge64)                                                                                   \
    TEST(jsge32)                                                                                   \
    TEST(ja)

enum vm_step {
    STEP_none,
#define STEP_NUMBER(name) STEP_##name,
    VM_STEPS(STEP_NUMBER, STEP_NUMBER, STEP_NUMBER, STEP_NUMBER)
#undef STEP_NUMBER
        STEP_COUNT
};

#endif
