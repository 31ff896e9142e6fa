/* Refuses what the interpreter could not run. It follows no values: registers start as zero,
 * memory is checked at run time, and unreachable code is nobody's business. */
#include "opcodes.h"
#include "vm.h"

enum field { DST = 1, SRC = 2, OFF = 4, IMM = 8 };

/* The fields an instruction reads; RFC 9669 wants the others to be zero. */
static unsigned fields_used(const struct bpf_insn *insn)
{
    const unsigned operand = insn->code & BPF_X ? SRC : IMM;

    switch (bpf_class_of(insn->code)) {
    case BPF_LD:
        return DST | IMM;
    case BPF_LDX:
        return DST | SRC | OFF;
    case BPF_STX:
        return DST | SRC | OFF | (bpf_is_atomic(insn->code) ? IMM : 0);
    case BPF_ST:
        return DST | OFF | IMM;
    case BPF_ALU:
    case BPF_ALU64:
        if ((insn->code & BPF_OPERATION) == BPF_NEG)
            return DST;
        if ((insn->code & BPF_OPERATION) == BPF_END)
            return DST | IMM;
        return DST | OFF | operand;
    case BPF_JMP:
    case BPF_JMP32:
        if (bpf_is_exit(insn->code))
            return 0;
        if (bpf_is_call(insn->code))
            return IMM | (bpf_is_local_call(insn) ? SRC : 0);
        if (bpf_is_ja(insn->code))
            return bpf_class_of(insn->code) == BPF_JMP ? OFF : IMM;
        return DST | OFF | operand;
    }
    return 0;
}

static int check_fields(const struct bpf_insn *insn, size_t at, struct vm_error *error)
{
    const unsigned used = fields_used(insn);
    const char *name = NULL;

    if (!(used & DST) && insn->dst)
        name = "destination register";
    else if (!(used & SRC) && insn->src)
        name = "source register";
    else if (!(used & OFF) && insn->off)
        name = "offset";
    else if (!(used & IMM) && insn->imm)
        name = "immediate";
    if (name)
        return vm_fail(error, "instruction %zu: the %s is not used and must be zero", at, name);
    return 0;
}

/* What a 64-bit immediate may stand for, by its source register. */
static int check_lddw_kind(const struct bpf_insn *insn, size_t at, struct vm_error *error)
{
    static const char *const kinds[] = {
        "a number",          "a map by its descriptor", "a value in a map by its descriptor",
        "a variable",        "a function",              "a map by its index",
        "a value in a map by its index",
    };

    if (insn->src >= sizeof(kinds) / sizeof(*kinds))
        return vm_fail(error, "instruction %zu: lddw of kind %d is unknown", at, insn->src);
    return vm_fail(error, "instruction %zu: lddw of kind %d (%s) is not supported", at, insn->src,
                   kinds[insn->src]);
}

static const char *selector_name(uint8_t code)
{
    if (bpf_is_atomic(code))
        return "operation";
    return (code & BPF_OPERATION) == BPF_END ? "width" : "offset";
}

static int check_known(const struct bpf_insn *insn, size_t at, struct vm_error *error)
{
    const enum bpf_class class = bpf_class_of(insn->code);
    const int mode = insn->code & BPF_MODE;

    if (class == BPF_LD && (mode == BPF_ABS || mode == BPF_IND))
        return vm_fail(error, "instruction %zu: legacy packet access is not supported", at);
    if (bpf_is_call(insn->code) && insn->src > BPF_CALL_LOCAL)
        return vm_fail(error, "instruction %zu: call of kind %d is not supported", at, insn->src);
    if (insn->code == BPF_LDDW && insn->src != 0)
        return check_lddw_kind(insn, at, error);
    if (vm_op_of(insn) == OP_trap) {
        if (vm_selector(insn) != 0)
            return vm_fail(error, "instruction %zu: unknown opcode 0x%02x with %s %d", at,
                           insn->code,
                           selector_name(insn->code),
                           (int)vm_selector(insn));
        return vm_fail(error, "instruction %zu: unknown opcode 0x%02x", at, insn->code);
    }
    if (bpf_is_call(insn->code) && !bpf_is_local_call(insn) && !vm_helper_known(insn->imm))
        return vm_fail(error, "instruction %zu: unknown helper %d", at, (int)insn->imm);
    return 0;
}

static int check_registers(const struct bpf_insn *insn, size_t at, struct vm_error *error)
{
    const enum bpf_class class = bpf_class_of(insn->code);
    const int writes = class == BPF_LD || class == BPF_LDX || bpf_is_alu(insn->code);
    /* A compare and exchange returns what it found in r0. */
    const int fetches = bpf_is_atomic(insn->code) && (insn->imm & BPF_FETCH) &&
                        insn->imm != BPF_CMPXCHG;

    if (insn->dst >= VM_REGISTERS)
        return vm_fail(error, "instruction %zu: there is no register r%d", at, insn->dst);
    if (insn->src >= VM_REGISTERS)
        return vm_fail(error, "instruction %zu: there is no register r%d", at, insn->src);
    if ((writes && insn->dst == VM_FRAME_REGISTER) || (fetches && insn->src == VM_FRAME_REGISTER))
        return vm_fail(error, "instruction %zu: r10 is read-only", at);
    return 0;
}

/* An earlier instruction decides whether a slot is the second half of lddw, and a lddw whose
 * second half looks like another lddw is refused, so looking one slot back is enough. */
static int is_second_half(const struct bpf_insn *insns, size_t at)
{
    return at > 0 && insns[at - 1].code == BPF_LDDW;
}

static int check_branch(const struct bpf_insn *insns, size_t length, size_t at,
                        struct vm_error *error)
{
    const int64_t target = (int64_t)at + 1 + bpf_branch_offset(&insns[at]);
    const char *what = bpf_is_local_call(&insns[at]) ? "call" : "jump";

    if (target < 0 || target >= (int64_t)length)
        return vm_fail(error, "instruction %zu: %s to %lld leaves the program", at, what,
                       (long long)target);
    if (is_second_half(insns, (size_t)target))
        return vm_fail(error, "instruction %zu: %s to %lld, the second half of lddw", at, what,
                       (long long)target);
    return 0;
}

static int check_lddw(const struct bpf_insn *insns, size_t length, size_t at,
                      struct vm_error *error)
{
    if (at + 1 == length)
        return vm_fail(error, "instruction %zu: the second half of lddw is missing", at);
    if (insns[at + 1].code || insns[at + 1].dst || insns[at + 1].src || insns[at + 1].off)
        return vm_fail(error, "instruction %zu: the second half of lddw is not empty", at);
    return 0;
}

int vm_verify(const struct bpf_insn *insns, size_t length, size_t entry, struct vm_error *error)
{
    size_t last = 0;

    if (length == 0)
        return vm_fail(error, "the program is empty");
    if (length > VM_MAX_SLOTS)
        return vm_fail(error, "the program has %zu instructions, more than %d", length,
                       VM_MAX_SLOTS);

    for (size_t at = 0; at < length; at++) {
        const struct bpf_insn *insn = &insns[at];

        last = at;
        if (check_known(insn, at, error) || check_registers(insn, at, error) ||
            check_fields(insn, at, error))
            return -1;
        if ((bpf_is_branch(insn->code) || bpf_is_local_call(insn)) &&
            check_branch(insns, length, at, error))
            return -1;
        if (insn->code == BPF_LDDW) {
            if (check_lddw(insns, length, at, error))
                return -1;
            at++;
        }
    }
    if (entry >= length || is_second_half(insns, entry))
        return vm_fail(error, "the program cannot start with instruction %zu", entry);
    if (!bpf_is_exit(insns[last].code) && !bpf_is_ja(insns[last].code))
        return vm_fail(error, "instruction %zu: the last instruction is neither exit nor ja",
                       last);
    return 0;
}
