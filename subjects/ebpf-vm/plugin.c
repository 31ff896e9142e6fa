/* The protocol of bpf_conformance (github.com/Alan-Jowett/bpf_conformance): the program on standard
 * input and its memory as the first argument, if it has any, both in hexadecimal; r0 on standard
 * output, in hexadecimal too. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"
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
    struct bytes text = {NULL, 0}, given = {NULL, 0}, code;
    int result = load_stream(stdin, &text, error);

    if (result == 0)
        result = load_hex((const char *)text.data, text.size, &given, error);
    code = given;
    if (result == 0 && elf_detect(&given))
        result = elf_find_code(&given, NULL, &code, error);
    if (result == 0)
        result = vm_program_load(program, code.data, code.size, error);
    free(text.data);
    free(given.data);
    return result;
}

static int set_up(struct vm *vm, struct vm_program *program, const char *memory_hex,
                  struct vm_error *error)
{
    struct bytes memory = {NULL, 0};
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

int plugin_main(int argc, char **argv)
{
    static struct vm vm;
    struct vm_program program = {0};
    const int first = argc > 1 && !strcmp(argv[1], "plugin") ? 2 : 1;
    const char *memory = first < argc && strncmp(argv[first], "--", 2) ? argv[first] : "";
    struct vm_error error;
    int status = 0;

    if (set_up(&vm, &program, memory, &error)) {
        fprintf(stderr, "ebpf-vm: %s\n", error.text);
        status = STATUS_REFUSED;
    } else {
        vm.entry = &program;
        const enum vm_stop why = vm_execute(&vm, VM_DEFAULT_LIMIT);

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
