/* The eBPF machine: its types, and what the other files may ask of it. */
#ifndef EBPF_VM_H
#define EBPF_VM_H

#include <stddef.h>
#include <stdint.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "ebpf-vm runs little-endian bytecode and is written for little-endian hosts"
#endif

#define VM_LIKELY(x) __builtin_expect(!!(x), 1)
#define VM_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define VM_COLD __attribute__((cold, noinline))

enum {
    VM_REGISTERS = 11,
    VM_FRAME_REGISTER = 10,
    VM_CONSTANTS = 192,
    VM_TARGETS = 256,
    VM_STACK_SIZE = 512, /* of one function */
    VM_MAX_FRAMES = 8,
    VM_REGIONS = 4,
    VM_MAX_MEMORY = 1 << 26,
    VM_MAX_SLOTS = 1 << 16,
    VM_MAX_TAIL_CALLS = 33,
    VM_PROGRAM_ARRAY = 64,
};

/* Guest addresses carry the number of their region in bits 32 and 33, so that the same program
 * sees the same addresses in every process. Region 0 is empty: null faults. */
#define VM_STACK_START (UINT64_C(1) << 32)
#define VM_MEMORY_START (UINT64_C(2) << 32)

/* Instructions a run may execute, unless told otherwise, and when it may go on for ever. */
#define VM_DEFAULT_LIMIT INT64_C(1000000000)
#define VM_NO_LIMIT (INT64_C(1) << 57)

/* An instruction as RFC 9669 encodes it, in a slot of eight bytes. */
struct bpf_insn {
    uint8_t code;
    uint8_t dst;
    uint8_t src;
    int16_t off;
    int32_t imm;
};

/* An instruction as the interpreter wants it; one for each slot of the program. The offsets of
 * jumps are in bytes of these. For those of the pinned form, see link.h. */
#ifdef VM_DISPATCH_PINNED
struct vm_insn {
    void (*handler)(void);
    uint64_t slots;
    uint64_t wide;
    uint8_t op;
    uint8_t dst;
    uint8_t src;
    uint8_t reach;
    int32_t off;
};
#else
struct vm_insn {
    uint16_t op;
    uint8_t dst;
    uint8_t src;
    int32_t off;
    int64_t imm;
};
#endif

/* `insns` has a trap before its first and after its last instruction; both may be addressed.
 * `entry` is the one that it starts with. */
struct vm_program {
    struct vm_insn *insns;
    size_t length;
    size_t entry;
#ifdef VM_DISPATCH_PINNED
    uint64_t *constants;
    size_t constants_count;
#endif
};

/* `end[k]` is the first address at which an access of 1 << k bytes no longer fits. */
struct vm_region {
    uint64_t end[4];
    uintptr_t to_host;
    uint64_t reserved[3];
};

#ifdef VM_DISPATCH_PINNED
/* A region as the pinned form sees it: `room[k]` is the number of places for an access of 1 << k
 * bytes, counted from its start, which is at `host`. */
struct vm_reach {
    uint64_t room[4];
    uint8_t *host;
};
#endif

/* What a local call keeps for its return. */
struct vm_frame {
    const struct vm_insn *call;
    const struct vm_program *program;
    uint64_t saved[4];
};

enum vm_stop { VM_STOP_exit, VM_STOP_memory, VM_STOP_budget, VM_STOP_depth, VM_STOP_trap };

struct vm {
    uint64_t regs[VM_REGISTERS];
    int64_t budget;
#ifdef VM_DISPATCH_PINNED
    uint8_t *frame; /* where r10 points */
    struct vm_reach reach[VM_REGIONS];
    uint64_t constants[VM_CONSTANTS];
    const struct vm_insn *targets[VM_TARGETS];
#endif
    struct vm_region regions[VM_REGIONS];
    const struct vm_program *current;
    const struct vm_insn *stopped_at;
    uint32_t depth;
    uint32_t deepest;
    uint32_t tail_calls;
    uint32_t random;
    struct vm_frame frames[VM_MAX_FRAMES - 1];

    const struct vm_program *entry;
    const struct vm_program *array[VM_PROGRAM_ARRAY];
    uint8_t *memory;
    uint8_t *memory_image;
    size_t memory_size;
    _Alignas(16) uint8_t stack[VM_MAX_FRAMES * VM_STACK_SIZE];
};

struct vm_error {
    char text[480];
};

/* Writes the message and returns -1, so that `return vm_fail(...)` reads well. */
__attribute__((format(printf, 2, 3))) int vm_fail(struct vm_error *error, const char *format, ...);

/* program.c: verify and decode a program that starts with the instruction `entry`. 0, or -1 with a
 * message. */
int vm_program_load(struct vm_program *program, const uint8_t *bytes, size_t size, size_t entry,
                    struct vm_error *error);
void vm_program_free(struct vm_program *program);

/* verify.c */
int vm_verify(const struct bpf_insn *insns, size_t length, size_t entry, struct vm_error *error);

/* machine.c */
int vm_init(struct vm *vm, const uint8_t *memory, size_t memory_size, struct vm_error *error);
void vm_release(struct vm *vm);
enum vm_stop vm_execute(struct vm *vm, int64_t max_insns);
uint64_t vm_executed(const struct vm *vm, int64_t max_insns);
void vm_describe_stop(const struct vm *vm, enum vm_stop why, struct vm_error *error);
const struct vm_program *vm_tail_target(struct vm *vm, uint64_t index);

/* Local calls: enter returns 0 when there are too many frames, leave the call it came from. */
int vm_enter(struct vm *vm, const struct vm_insn *call);
const struct vm_insn *vm_leave(struct vm *vm);

/* The immediate of a helper call is its number. */
static inline int64_t vm_immediate(const struct vm_insn *insn)
{
#ifdef VM_DISPATCH_PINNED
    return (int64_t)insn->wide;
#else
    return insn->imm;
#endif
}

/* helpers.c */
int vm_helper_known(int32_t id);
uint64_t vm_helper_call(struct vm *vm, int64_t id, const uint64_t *regs);

/* link.c, interp.c: the pinned form keeps in each instruction who executes it. 0, or -1. */
#ifdef VM_DISPATCH_PINNED
int vm_link(struct vm_program *program, struct vm_error *error);
#endif

/* Runs from `pc` until something stops it. Not to be inlined, so that it can be found in
 * the program whatever the compiler or the linker would like. */
__attribute__((noinline)) enum vm_stop vm_run(struct vm *vm, const struct vm_insn *pc,
                                              int64_t budget);

#endif
