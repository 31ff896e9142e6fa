/* From bytes to a program ready to run. */
#include <stdlib.h>
#include <string.h>

#include "opcodes.h"
#include "vm.h"

static struct bpf_insn read_insn(const uint8_t *bytes)
{
    struct bpf_insn insn = {.code = bytes[0], .dst = bytes[1] & 15, .src = bytes[1] >> 4};

    memcpy(&insn.off, bytes + 2, sizeof(insn.off));
    memcpy(&insn.imm, bytes + 4, sizeof(insn.imm));
    return insn;
}

static void set_immediate(struct vm_insn *insn, int64_t value)
{
#ifdef VM_DISPATCH_PINNED
    insn->wide = (uint64_t)value;
#else
    insn->imm = value;
#endif
}

static void decode(struct vm_insn *out, const struct bpf_insn *insns, size_t length)
{
    for (size_t at = 0; at < length; at++) {
        const struct bpf_insn *insn = &insns[at];

        out[at].op = vm_op_of(insn);
        out[at].dst = insn->dst;
        out[at].src = insn->src;
        out[at].off = insn->off;
        if (bpf_is_branch(insn->code) || bpf_is_local_call(insn))
            out[at].off = bpf_branch_offset(insn) * (int32_t)sizeof(*out);
        set_immediate(&out[at], insn->imm);
        if (insn->code == BPF_LDDW) {
            const uint64_t high = (uint32_t)insns[at + 1].imm;

            set_immediate(&out[at], (int64_t)(high << 32 | (uint32_t)insn->imm));
            at++;
        }
    }
}

int vm_program_load(struct vm_program *program, const uint8_t *bytes, size_t size, size_t entry,
                    struct vm_error *error)
{
    const size_t length = size / 8;
    struct bpf_insn *insns;
    struct vm_insn *slots;
    int result;

    if (size % 8)
        return vm_fail(error, "%zu bytes are no whole number of 8-byte instructions", size);

    insns = malloc((length + 1) * sizeof(*insns));
    slots = malloc((length + 2) * sizeof(*slots));
    if (!insns || !slots) {
        result = vm_fail(error, "out of memory");
    } else {
        for (size_t at = 0; at < length; at++)
            insns[at] = read_insn(bytes + 8 * at);
        result = vm_verify(insns, length, entry, error);
    }
    if (result == 0) {
        for (size_t at = 0; at < length + 2; at++)
            slots[at] = (struct vm_insn){.op = OP_trap};
        decode(slots + 1, insns, length);
        program->insns = slots + 1;
        program->length = length;
        program->entry = entry;
#ifdef VM_DISPATCH_PINNED
        result = vm_link(program, error);
        if (result)
            vm_program_free(program);
#endif
    } else {
        free(slots);
    }
    free(insns);
    return result;
}

void vm_program_free(struct vm_program *program)
{
    if (program->insns)
        free(program->insns - 1);
#ifdef VM_DISPATCH_PINNED
    free(program->constants);
    program->constants = NULL;
#endif
    program->insns = NULL;
    program->length = 0;
}
