/* Opcode numbers, made from insns.inc, and the way from a bytecode instruction to its number. */
#ifndef EBPF_VM_OPCODES_H
#define EBPF_VM_OPCODES_H

#include "vm.h"

enum vm_op {
#define OP(shape, name, code, selector, ...) OP_##name,
#include "insns.inc"
#undef OP
    OP_COUNT
};

enum bpf_class {
    BPF_LD,
    BPF_LDX,
    BPF_ST,
    BPF_STX,
    BPF_ALU,
    BPF_JMP,
    BPF_JMP32,
    BPF_ALU64,
};

enum {
    BPF_X = 0x08,
    BPF_OPERATION = 0xf0,
    BPF_NEG = 0x80,
    BPF_END = 0xd0,
    BPF_JA = 0x00,
    BPF_CALL = 0x80,
    BPF_EXIT = 0x90,
    BPF_MODE = 0xe0,
    BPF_ABS = 0x20,
    BPF_IND = 0x40,
    BPF_ATOMIC = 0xc0,
    BPF_LDDW = 0x18,
    BPF_FETCH = 0x01,
    BPF_CMPXCHG = 0xf1,
    BPF_TAIL_CALL_HELPER = 12,
};

/* The kinds of call, in the source register. */
enum { BPF_CALL_HELPER = 0, BPF_CALL_LOCAL = 1 };

/* A selector no instruction has in its fields. */
#define VM_LOCAL_CALL INT32_MIN

static inline enum bpf_class bpf_class_of(uint8_t code)
{
    return (enum bpf_class)(code & 7);
}

static inline int bpf_is_alu(uint8_t code)
{
    return bpf_class_of(code) == BPF_ALU || bpf_class_of(code) == BPF_ALU64;
}

static inline int bpf_is_jump(uint8_t code)
{
    return bpf_class_of(code) == BPF_JMP || bpf_class_of(code) == BPF_JMP32;
}

static inline int bpf_is_call(uint8_t code)
{
    return code == (BPF_JMP | BPF_CALL);
}

static inline int bpf_is_exit(uint8_t code)
{
    return code == (BPF_JMP | BPF_EXIT);
}

static inline int bpf_is_ja(uint8_t code)
{
    return bpf_is_jump(code) && (code & (BPF_OPERATION | BPF_X)) == BPF_JA;
}

static inline int bpf_is_local_call(const struct bpf_insn *insn)
{
    return bpf_is_call(insn->code) && insn->src == BPF_CALL_LOCAL;
}

static inline int bpf_is_atomic(uint8_t code)
{
    return bpf_class_of(code) == BPF_STX && (code & BPF_MODE) == BPF_ATOMIC;
}

/* A jump with a target in the same program. */
static inline int bpf_is_branch(uint8_t code)
{
    return bpf_is_jump(code) && !bpf_is_call(code) && !bpf_is_exit(code);
}

/* How far a branch or a local call goes; the latter and the long form of ja keep it in the
 * immediate. */
static inline int32_t bpf_branch_offset(const struct bpf_insn *insn)
{
    return insn->code == (BPF_JMP32 | BPF_JA) || bpf_is_call(insn->code) ? insn->imm : insn->off;
}

/* What tells apart instructions with the same opcode byte: the width for byte swaps, the offset
 * for arithmetic (signed division, sign-extending moves), the operation for atomics, whom a call
 * calls. */
static inline int32_t vm_selector(const struct bpf_insn *insn)
{
    if (bpf_is_alu(insn->code))
        return (insn->code & BPF_OPERATION) == BPF_END ? insn->imm : insn->off;
    if (bpf_is_atomic(insn->code))
        return insn->imm;
    if (bpf_is_local_call(insn))
        return VM_LOCAL_CALL;
    if (bpf_is_call(insn->code) && insn->imm == BPF_TAIL_CALL_HELPER)
        return BPF_TAIL_CALL_HELPER;
    return 0;
}

/* opcodes.c: the number, or OP_trap when there is no such instruction; and the way back. */
enum vm_op vm_op_of(const struct bpf_insn *insn);
uint8_t vm_code_of(enum vm_op op);
const char *vm_name_of(enum vm_op op);

#endif
