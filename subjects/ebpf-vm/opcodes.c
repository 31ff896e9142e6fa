/* The table between opcode bytes and opcode numbers. */
#include "opcodes.h"

static const struct {
    const char *name;
    int32_t selector;
    uint8_t code;
} table[OP_COUNT] = {
#define OP(shape, name, code, selector, ...) {#name, selector, (uint8_t)(code)},
#include "insns.inc"
#undef OP
};

enum vm_op vm_op_of(const struct bpf_insn *insn)
{
    const int32_t selector = vm_selector(insn);

    for (int op = 0; op < OP_trap; op++)
        if (table[op].code == insn->code && table[op].selector == selector)
            return (enum vm_op)op;
    return OP_trap;
}

uint8_t vm_code_of(enum vm_op op)
{
    return table[op].code;
}

const char *vm_name_of(enum vm_op op)
{
    return table[op].name;
}
