/* Runs a program by uBPF, in turns; one loop is one execution.
 *
 *     ubpf PROGRAM MEMORY_SIZE [--jit] [--unchecked]
 *
 * By its interpreter unless --jit is given, with its bounds check unless --unchecked is, and with no
 * limit of instructions, which is its default. */
#include "program.h"

#include "ubpf.h"

struct job {
    struct program program;
    struct ubpf_vm *vm;
    ubpf_jit_fn compiled;
};

/* Functions have frames of 512 bytes, as the programs were compiled for. */
static int frame_size(const struct ubpf_vm *vm, uint16_t pc, void *cookie)
{
    (void)vm, (void)pc, (void)cookie;
    return 512;
}

static uint64_t run(void *state, uint64_t loops)
{
    struct job *job = state;
    struct program *program = &job->program;
    uint64_t result = 0;

    for (uint64_t i = 0; i < loops; i++) {
        reset_memory(program);
        if (job->compiled)
            result = job->compiled(program->memory, program->memory_size);
        else if (ubpf_exec(job->vm, program->memory, program->memory_size, &result))
            whyfast_turn_fail("the program failed");
    }
    return result;
}

int main(int argc, char **argv)
{
    struct job job = {.program = program_of(argc, argv), .vm = ubpf_create()};
    char *message = NULL;
    int jit = 0;

    if (!job.vm)
        driver_fail("ubpf_create failed");
    ubpf_register_stack_usage_calculator(job.vm, frame_size, NULL);
    for (int i = 3; i < argc; i++) {
        if (!strcmp(argv[i], "--jit"))
            jit = 1;
        else if (!strcmp(argv[i], "--unchecked"))
            ubpf_toggle_bounds_check(job.vm, false);
        else
            driver_fail("unknown option");
    }
    if (ubpf_load(job.vm, job.program.code, (uint32_t)job.program.code_size, &message))
        driver_fail(message);
    if (jit && !(job.compiled = ubpf_compile(job.vm, &message)))
        driver_fail(message);
    return whyfast_turns(run, &job);
}
