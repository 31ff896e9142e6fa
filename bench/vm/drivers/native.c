/* Runs a program as native code, in turns; one loop is one execution. Compiled with
 *
 *     -include PROGRAM.c -DPROGRAM=NAME
 *
 *     native - MEMORY_SIZE */
#include "program.h"

static struct program program;

static uint64_t run(void *state, uint64_t loops)
{
    uint64_t result = 0;

    (void)state;
    for (uint64_t i = 0; i < loops; i++) {
        reset_memory(&program);
        result = PROGRAM((void *)program.memory, program.memory_size);
        /* Not to be moved out of the loop. */
        __asm__ volatile("" : "+r"(result) : : "memory");
    }
    return result;
}

int main(int argc, char **argv)
{
    char nothing[] = "/dev/null";

    if (argc > 1)
        argv[1] = nothing;
    program = program_of(argc, argv);
    return whyfast_turns(run, NULL);
}
