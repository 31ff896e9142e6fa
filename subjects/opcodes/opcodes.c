/* The same interpreter with 4 to 40 opcodes, to see from how many on a compiler treats its computed
 * goto otherwise; README.md explains. The argument chooses the one that runs. */
#include <stdio.h>
#include <stdlib.h>

#include "whyfast_turn.h"

#define LENGTH 4096

/* Every handler computes something else, so that no two can be made one. */
#define HANDLER(n)                                                                                 \
    op_##n:                                                                                        \
    x = (x ^ (UINT64_C(0x9e3779b97f4a7c15) * (n + 1))) + (x >> (n + 3));                           \
    goto *handlers[*++pc];

#define OPCODES 4
#include "interpreter.inc"
#define OPCODES 8
#include "interpreter.inc"
#define OPCODES 12
#include "interpreter.inc"
#define OPCODES 14
#include "interpreter.inc"
#define OPCODES 15
#include "interpreter.inc"
#define OPCODES 16
#include "interpreter.inc"
#define OPCODES 17
#include "interpreter.inc"
#define OPCODES 18
#include "interpreter.inc"
#define OPCODES 20
#include "interpreter.inc"
#define OPCODES 24
#include "interpreter.inc"
#define OPCODES 32
#include "interpreter.inc"
#define OPCODES 40
#include "interpreter.inc"

typedef uint64_t interpreter(const unsigned char *code);

static const struct {
    unsigned opcodes;
    interpreter *run;
} INTERPRETERS[] = {
    {4, run_4},   {8, run_8},   {12, run_12}, {14, run_14}, {15, run_15}, {16, run_16},
    {17, run_17}, {18, run_18}, {20, run_20}, {24, run_24}, {32, run_32}, {40, run_40},
};

struct work {
    interpreter *run;
    unsigned char code[LENGTH + 1];
    volatile uint64_t sink;
};

static uint64_t run(void *state, uint64_t loops)
{
    struct work *work = state;
    uint64_t last = 0;

    for (uint64_t loop = 0; loop < loops; loop++)
        last = work->sink = work->run(work->code);
    return last;
}

/* LENGTH opcodes in no order, by a linear congruential generator (multiplier of Knuth's MMIX), and
 * the one that ends the program. */
static void draw(unsigned char *code, unsigned opcodes)
{
    uint64_t state = 1;

    for (int i = 0; i < LENGTH; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        code[i] = (unsigned char)((state >> 33) % opcodes);
    }
    code[LENGTH] = (unsigned char)opcodes;
}

int main(int argc, char **argv)
{
    static struct work work;
    unsigned long wanted = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;

    for (size_t i = 0; i < sizeof INTERPRETERS / sizeof *INTERPRETERS; i++)
        if (INTERPRETERS[i].opcodes == wanted)
            work.run = INTERPRETERS[i].run;
    if (!work.run) {
        fprintf(stderr, "usage: opcodes N, with N one of 4 8 12 14 15 16 17 18 20 24 32 40\n");
        return 2;
    }
    draw(work.code, (unsigned)wanted);
    return whyfast_turns(run, &work);
}
