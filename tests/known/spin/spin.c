/* A program with a known answer: the work of one loop is the first argument times a constant, so
   that spin 10100 is exactly 1 % more work than spin 10000. Other arguments make it misbehave. */
#include "whyfast_turn.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint32_t table[2048];
static volatile uint64_t sink; /* or the compiler removes the work */

struct state {
    unsigned steps;
    const char *mode;
    unsigned long turns;
};

static uint64_t run(void *opaque, uint64_t loops)
{
    struct state *state = opaque;
    uint64_t sum = 1;
    state->turns++;
    if (state->turns > 3) {
        if (strcmp(state->mode, "crash") == 0)
            abort();
        if (strcmp(state->mode, "hang") == 0)
            for (;;)
                pause();
    }
    for (uint64_t loop = 0; loop < loops; loop++) {
        sum = 1;
        for (unsigned i = 0, end = state->steps; i < end; i++)
            sum = sum * 6364136223846793005u + table[(sum >> 40) & 2047];
        sink = sum;
    }
    return strcmp(state->mode, "wrong") == 0 ? 2 : 1;
}

int main(int argc, char **argv)
{
    struct state state = {0};
    state.steps = argc > 1 ? (unsigned)atoi(argv[1]) : 10000;
    state.mode = argc > 2 ? argv[2] : "";
#ifdef STEPS
    state.steps = STEPS;
#endif
#ifdef MODE
    state.mode = MODE;
#endif
    for (unsigned i = 0; i < 2048; i++)
        table[i] = i * 2654435761u;
    if (strcmp(state.mode, "garbage") == 0) {
        const char *turn = getenv("WHYFAST_TURN");
        int out = turn ? atoi(strchr(turn, ',') + 1) : 1;
        return write(out, "ready 1\nsoon\n", 13) != 13;
    }
    return whyfast_turns(run, &state);
}
