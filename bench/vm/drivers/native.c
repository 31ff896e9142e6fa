/* Runs a program as native code, in turns; one loop is one execution. It is compiled on its own,
 * native_program.c, as its functions may have names of the C library.
 *
 *     native - MEMORY_SIZE */
#include "program.h"

uint64_t native_program(void *memory, uint64_t size);

static struct program program;

static uint64_t run(void *state, uint64_t loops)
{
    uint64_t result = 0;

    (void)state;
    for (uint64_t i = 0; i < loops; i++) {
        reset_memory(&program);
        result = native_program(program.memory, program.memory_size);
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
