/* A workload for the tests of whyfast_turn.h: adds a number per loop; "fail" makes it fail. */
#include "whyfast_turn.h"

static uint64_t run(void *state, uint64_t loops)
{
    volatile uint64_t *total = (volatile uint64_t *)state;

    if (*total == 0)
        whyfast_turn_fail("no\nnumber");
    for (uint64_t i = 0; i < loops; i++)
        *total = *total + 1;
    return 0xfeed;
}

int main(int argc, char **argv)
{
    uint64_t total = argc > 1 && !strcmp(argv[1], "fail") ? 0 : 1;

    return whyfast_turns(run, &total);
}
