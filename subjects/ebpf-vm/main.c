/* ebpf-vm: runs eBPF programs, once or in turns. */
#include "whyfast_turn.h"

#include "load.h"
#include "options.h"
#include "plugin.h"
#include "vm.h"

struct job {
    struct options options;
    struct vm vm;
    struct vm_program programs[VM_PROGRAM_ARRAY + 1];
    int64_t max_insns;
};

static int load_program(const char *path, const struct options *options,
                        struct vm_program *program, struct vm_error *error)
{
    const struct elf_wanted wanted = {.section = options->section, .entry = options->entry};
    struct bytes code = {0};
    struct vm_error cause;
    int result = load_file(path, &wanted, &code, &cause);

    if (result == 0)
        result = vm_program_load(program, code.data, code.size, code.entry, &cause);
    free(code.data);
    if (result)
        return vm_fail(error, "%.300s: %.150s", path, cause.text);
    return 0;
}

/* The first program is run, the others are for tail calls. */
static int load_programs(struct job *job, struct vm_error *error)
{
    struct bytes code[VM_PROGRAM_ARRAY];
    const char *path = job->options.programs;
    size_t count;
    struct vm_error cause;
    int result = load_lines(path, code, VM_PROGRAM_ARRAY, &count, &cause);

    for (size_t i = 0; i < count; i++) {
        if (result == 0)
            result = vm_program_load(&job->programs[i], code[i].data, code[i].size, 0, &cause);
        if (result == 0 && i > 0)
            job->vm.array[i] = &job->programs[i];
        free(code[i].data);
    }
    return result ? vm_fail(error, "%.300s: %.150s", path, cause.text) : 0;
}

static int set_up_memory(struct job *job, struct vm_error *error)
{
    const struct options *options = &job->options;
    struct bytes given = {0};
    uint8_t *memory;
    size_t size;
    int result;

    if (options->memory_hex) {
        struct vm_error cause;

        if (load_hex(options->memory_hex, strlen(options->memory_hex), &given, &cause))
            return vm_fail(error, "--mem: %.150s", cause.text);
    }
    size = given.size > options->memory_size ? given.size : options->memory_size;
    memory = calloc(size + 1, 1);
    if (!memory) {
        free(given.data);
        return vm_fail(error, "out of memory");
    }
    if (given.size)
        memcpy(memory, given.data, given.size);
    result = vm_init(&job->vm, memory, size, error);
    free(memory);
    free(given.data);
    return result;
}

static int set_up(struct job *job, struct vm_error *error)
{
    const struct options *options = &job->options;

    if (set_up_memory(job, error))
        return -1;
    if (options->programs ? load_programs(job, error)
                          : load_program(options->program, options, &job->programs[0], error))
        return -1;
    job->vm.entry = &job->programs[0];
    for (int i = 0; i < VM_PROGRAM_ARRAY; i++) {
        struct vm_program *program = &job->programs[i + 1];

        if (!options->array[i])
            continue;
        if (options->programs)
            return vm_fail(error, "--prog-array: not together with --programs");
        if (load_program(options->array[i], options, program, error))
            return -1;
        job->vm.array[i] = program;
    }
    job->max_insns = options->max_insns                ? options->max_insns
                     : options->command == COMMAND_RUN ? VM_DEFAULT_LIMIT
                                                       : VM_NO_LIMIT;
    return 0;
}

static void tear_down(struct job *job)
{
    for (int i = 0; i <= VM_PROGRAM_ARRAY; i++)
        vm_program_free(&job->programs[i]);
    vm_release(&job->vm);
}

static int run_once(struct job *job)
{
    const enum vm_stop why = vm_execute(&job->vm, job->max_insns);

    if (why != VM_STOP_exit) {
        struct vm_error error;

        vm_describe_stop(&job->vm, why, &error);
        fprintf(stderr, "ebpf-vm: %s\n", error.text);
        return STATUS_FAULT;
    }
    printf("0x%" PRIx64 "\n", job->vm.regs[0]);
    if (job->options.count)
        fprintf(stderr, "%" PRIu64 " instructions\n", vm_executed(&job->vm, job->max_insns));
    return 0;
}

static uint64_t run_loops(void *state, uint64_t loops)
{
    struct job *job = state;

    for (uint64_t i = 0; i < loops; i++) {
        const enum vm_stop why = vm_execute(&job->vm, job->max_insns);

        if (VM_UNLIKELY(why != VM_STOP_exit)) {
            struct vm_error error;

            vm_describe_stop(&job->vm, why, &error);
            whyfast_turn_fail(error.text);
        }
    }
    return job->vm.regs[0];
}

int main(int argc, char **argv)
{
    static struct job job;
    struct vm_error error;
    int status;

    if (plugin_asked(argc, argv))
        return plugin_main(argc, argv);
    if (options_parse(&job.options, argc, argv, &error)) {
        fprintf(stderr, "ebpf-vm: %s\n", error.text);
        return STATUS_REFUSED;
    }
    if (job.options.command == COMMAND_HELP) {
        fputs(options_usage, stdout);
        return 0;
    }
    if (set_up(&job, &error)) {
        fprintf(stderr, "ebpf-vm: %s\n", error.text);
        status = STATUS_REFUSED;
    } else if (job.options.command == COMMAND_RUN) {
        status = run_once(&job);
    } else {
        status = whyfast_turns(run_loops, &job);
    }
    tear_down(&job);
    return status;
}
