/* Runs many programs in one process, for the tests. Each line of stdin is
 *
 *     PROGRAM MEMORY MAX_INSNS
 *
 * with both in hexadecimal ("-" for none), and is answered by one line of stdout:
 *
 *     refused MESSAGE
 *     fault MESSAGE
 *     exit EXECUTED R0 R1 ... R9 MEMORY
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "vm.h"

static struct bytes parse(const char *text)
{
    struct bytes bytes = {0};
    struct vm_error error;

    if (strcmp(text, "-") != 0 && load_hex(text, strlen(text), &bytes, &error)) {
        fprintf(stderr, "driver: %s\n", error.text);
        exit(3);
    }
    return bytes;
}

static void run(const struct vm_program *program, const struct bytes *memory, int64_t max_insns)
{
    static struct vm vm;
    struct vm_error error;
    enum vm_stop why;

    if (vm_init(&vm, memory->data, memory->size, &error)) {
        printf("refused %s\n", error.text);
        return;
    }
    vm.entry = program;
    vm.array[0] = program;
    why = vm_execute(&vm, max_insns);
    if (why == VM_STOP_exit) {
        printf("exit %" PRIu64, vm_executed(&vm, max_insns));
        for (int i = 0; i < VM_FRAME_REGISTER; i++)
            printf(" 0x%" PRIx64, vm.regs[i]);
        printf(" ");
        for (size_t i = 0; i < vm.memory_size; i++)
            printf("%02x", vm.memory[i]);
        printf("\n");
    } else {
        vm_describe_stop(&vm, why, &error);
        printf("fault %s\n", error.text);
    }
    vm_release(&vm);
}

int main(void)
{
    static char line[1 << 22], program_text[1 << 21], memory_text[1 << 21];

    while (fgets(line, sizeof(line), stdin)) {
        struct vm_program program = {0};
        struct bytes code, memory;
        struct vm_error error;
        int64_t max_insns;

        if (sscanf(line, "%2097151s %2097151s %" SCNd64, program_text, memory_text, &max_insns) != 3)
            return 3;
        code = parse(program_text);
        memory = parse(memory_text);
        /* Exactly as many bytes as there are, so that a sanitizer sees an access past them. */
        if (code.size)
            code.data = realloc(code.data, code.size);
        if (vm_program_load(&program, code.data, code.size, 0, &error))
            printf("refused %s\n", error.text);
        else
            run(&program, &memory, max_insns);
        vm_program_free(&program);
        free(code.data);
        free(memory.data);
    }
    return 0;
}
