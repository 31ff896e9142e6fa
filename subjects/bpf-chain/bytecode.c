#include "bytecode.h"

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10 };

enum { HELPER_MAP_LOOKUP = 1, HELPER_KTIME_GET_NS = 5, HELPER_TAIL_CALL = 12 };

enum {
    LDDW = 0x18,
    LOAD32 = 0x61,
    LOAD64 = 0x79,
    STORE32 = 0x63,
    STORE64 = 0x7b,
    ADD = 0x07,
    SUB_REGISTER = 0x1f,
    SHIFT_RIGHT = 0x77,
    MOVE = 0xb7,
    MOVE_REGISTER = 0xbf,
    JUMP_EQUAL = 0x15,
    JUMP_BELOW = 0xa5,
    CALL = 0x85,
    EXIT = 0x95,
};

/* lddw: the immediate is the file descriptor of a map. */
enum { PSEUDO_MAP_FD = 1 };

/* Fields of struct __sk_buff, which r1 points to: the packet's mark is 0 in a test run, and the
 * control block is scratch space that a tail call keeps. */
enum { SKB_MARK = 8, SKB_CONTROL_BLOCK = 48 };

static void emit(struct program *out, uint8_t opcode, int destination, int source, int16_t offset,
                 int32_t immediate)
{
    struct instruction *next = &out->code[out->count++];

    next->opcode = opcode;
    next->registers = (uint8_t)(destination | source << 4);
    next->offset = offset;
    next->immediate = immediate;
}

static void load_map(struct program *out, int destination, int32_t map, int in_kernel)
{
    emit(out, LDDW, destination, in_kernel ? PSEUDO_MAP_FD : 0, 0, map);
    emit(out, 0, 0, 0, 0, 0);
}

static void leave(struct program *out, int result)
{
    emit(out, MOVE, R0, 0, 0, result);
    emit(out, EXIT, 0, 0, 0, 0);
}

/* r1 points to the context. */
static void call_next(struct program *out, int number, enum index_form form,
                      const struct map_names *maps)
{
    emit(out, LOAD32, R3, R1, SKB_MARK, 0);
    emit(out, form == INDEX_STATIC ? MOVE : ADD, R3, 0, 0, number + 1);
    load_map(out, R2, maps->programs, maps->in_kernel);
    emit(out, CALL, 0, 0, 0, HELPER_TAIL_CALL);
}

void chain_program(struct program *out, int number, int calls, enum index_form form,
                   const struct map_names *maps)
{
    out->count = 0;
    if (number < calls)
        call_next(out, number, form, maps);
    leave(out, number);
}

static void read_clock_first(struct program *out)
{
    emit(out, MOVE_REGISTER, R6, R1, 0, 0);
    emit(out, CALL, 0, 0, 0, HELPER_KTIME_GET_NS);
    emit(out, STORE64, R6, R0, SKB_CONTROL_BLOCK, 0);
    emit(out, MOVE_REGISTER, R1, R6, 0, 0);
}

static void read_clock_again(struct program *out, const struct map_names *maps)
{
    emit(out, MOVE_REGISTER, R6, R1, 0, 0);
    emit(out, CALL, 0, 0, 0, HELPER_KTIME_GET_NS);
    emit(out, MOVE_REGISTER, R7, R0, 0, 0);
    emit(out, LOAD64, R8, R6, SKB_CONTROL_BLOCK, 0);
    emit(out, SUB_REGISTER, R7, R8, 0, 0);
    /* r7: the bucket */
    emit(out, JUMP_BELOW, R7, 0, 4, FINE_BUCKETS);
    emit(out, SHIFT_RIGHT, R7, 0, 0, COARSE_SHIFT);
    emit(out, ADD, R7, 0, 0, FINE_BUCKETS - (FINE_BUCKETS >> COARSE_SHIFT));
    emit(out, JUMP_BELOW, R7, 0, 1, BUCKETS);
    emit(out, MOVE, R7, 0, 0, BUCKETS - 1);
    emit(out, STORE32, R10, R7, -4, 0);
    load_map(out, R1, maps->histogram, maps->in_kernel);
    emit(out, MOVE_REGISTER, R2, R10, 0, 0);
    emit(out, ADD, R2, 0, 0, -4);
    emit(out, CALL, 0, 0, 0, HELPER_MAP_LOOKUP);
    emit(out, JUMP_EQUAL, R0, 0, 3, 0);
    emit(out, LOAD64, R1, R0, 0, 0);
    emit(out, ADD, R1, 0, 0, 1);
    emit(out, STORE64, R0, R1, 0, 0);
}

void timed_program(struct program *out, int number, int calls, enum index_form form,
                   const struct map_names *maps)
{
    out->count = 0;
    if (number == 0)
        read_clock_first(out);
    if (number < calls)
        call_next(out, number, form, maps);
    else
        read_clock_again(out, maps);
    leave(out, number);
}
