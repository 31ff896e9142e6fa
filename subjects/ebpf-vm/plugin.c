/* The protocol of bpf_conformance (github.com/Alan-Jowett/bpf_conformance): the program on standard
 * input and its memory as the first argument, if it has any, both in hexadecimal; r0 on standard
 * output, in hexadecimal too. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "options.h"
#include "plugin.h"
#include "vm.h"

int plugin_asked(int argc, char **argv)
{
    static const char name[] = "plugin";
    const size_t length = argc > 0 ? strlen(argv[0]) : 0;

    if (argc > 1 && !strcmp(argv[1], name))
        return 1;
    return length >= strlen(name) && !strcmp(argv[0] + length - strlen(name), name);
}

/* The program as bytecode, or an ELF object that holds it. */
static int read_program(struct vm_program *program, struct vm_error *error)
{
    const struct elf_wanted any = {0};
    struct bytes text = {0}, given = {0}, code = {0};
    int result = load_stream(stdin, &text, error);

    if (result == 0)
        result = load_hex((const char *)text.data, text.size, &given, error);
    if (result == 0 && elf_detect(&given)) {
        result = elf_load(&given, &any, &code, error);
        free(given.data);
        given = code;
    }
    if (result == 0)
        result = vm_program_load(program, given.data, given.size, given.entry, error);
    free(text.data);
    free(given.data);
    return result;
}

static int set_up(struct vm *vm, struct vm_program *program, const char *memory_hex,
                  struct vm_error *error)
{
    struct bytes memory = {0};
    struct vm_error cause;
    int result = 0;

    if (load_hex(memory_hex, strlen(memory_hex), &memory, &cause))
        return vm_fail(error, "memory: %.150s", cause.text);
    if (read_program(program, &cause))
        result = vm_fail(error, "program: %.150s", cause.text);
    else
        result = vm_init(vm, memory.data, memory.size, error);
    free(memory.data);
    return result;
}

/* The memory, and of the options ours; the runner has some of its own, which do not concern the
 * machine. */
static int read_words(int argc, char **argv, const char **memory, int64_t *max_insns,
                      struct vm_error *error)
{
    const int first = argc > 1 && !strcmp(argv[1], "plugin") ? 2 : 1;

    for (int i = first; i < argc; i++) {
        if (i == first && strncmp(argv[i], "--", 2)) {
            *memory = argv[i];
        } else if (!strcmp(argv[i], "--max-insns")) {
            if (i + 1 == argc)
                return vm_fail(error, "--max-insns: the value is missing");
            if (options_budget(argv[++i], max_insns, error))
                return -1;
        }
    }
    return 0;
}

int plugin_main(int argc, char **argv)
{
    static struct vm vm;
    struct vm_program program = {0};
    const char *memory = "";
    int64_t max_insns = VM_DEFAULT_LIMIT;
    struct vm_error error;
    int status = 0;

    if (read_words(argc, argv, &memory, &max_insns, &error) ||
        set_up(&vm, &program, memory, &error)) {
        fprintf(stderr, "ebpf-vm: %s\n", error.text);
        status = STATUS_REFUSED;
    } else {
        vm.entry = &program;
        const enum vm_stop why = vm_execute(&vm, max_insns);

        if (why == VM_STOP_exit) {
            printf("%" PRIx64 "\n", vm.regs[0]);
        } else {
            vm_describe_stop(&vm, why, &error);
            fprintf(stderr, "ebpf-vm: %s\n", error.text);
            status = STATUS_FAULT;
        }
        vm_release(&vm);
    }
    vm_program_free(&program);
    return status;
}
