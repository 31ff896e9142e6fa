/* The programs of a chain as bytecode (RFC 9669). */
#ifndef BYTECODE_H
#define BYTECODE_H

#include <stddef.h>
#include <stdint.h>

/* The kernel allows so many tail calls in a row; the next one fails, and execution goes on. */
#define TAIL_CALL_LIMIT 33
#define MOST_CALLS (TAIL_CALL_LIMIT + 1)

enum index_form { INDEX_STATIC, INDEX_DYNAMIC };

/* One instruction; destination in the low half of `registers`, source in the high one. */
struct instruction {
    uint8_t opcode, registers;
    int16_t offset;
    int32_t immediate;
};

#define MOST_INSTRUCTIONS 40

struct program {
    struct instruction code[MOST_INSTRUCTIONS];
    size_t count;
};

/* How maps are named in the code: a file descriptor in the kernel, 0 where there are no maps. */
struct map_names {
    int32_t programs;  /* the program array */
    int32_t histogram; /* an array of 64-bit counts */
    int in_kernel;
};

/* A histogram has a bucket a nanosecond below FINE_BUCKETS, then one every 64 ns; the last also
 * counts everything longer. */
#define FINE_BUCKETS 4096
#define COARSE_SHIFT 6
#define BUCKETS 8192

/* Program `number` of a chain of `calls` tail calls, which has calls + 1 programs.
 *
 * Each but the last makes a tail call to the next and, if that fails, returns its own number; the
 * last returns `calls`. So the result is how many calls were made. The forms differ in one opcode:
 * static sets the index (mov), dynamic adds it to a word of the packet's context that is always 0
 * (add), which the kernel's verifier cannot know. */
void chain_program(struct program *out, int number, int calls, enum index_form form,
                   const struct map_names *maps);

/* The same, timing itself: the first program reads the clock before its tail call, the last reads
 * it again and counts the difference in the histogram. `calls` at most TAIL_CALL_LIMIT; with 0 the
 * only program reads the clock twice, which is the cost of doing so. */
void timed_program(struct program *out, int number, int calls, enum index_form form,
                   const struct map_names *maps);

#endif
