/* What a fuzzer calls with any bytes: they are loaded as a program and, when the verifier accepts
 * them, run with a small budget, by the form of dispatch that this is compiled with. The first byte
 * is the length of the memory, which follows; the rest is the program.
 *
 * Beside what the sanitizers see, a few things must hold: the same run twice ends the same way, and
 * r10 and the bounds of the stack are those of the frame in which the program stopped. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm.h"

enum { BUDGET_OF_RUN = 20000 };

static void require(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "does not hold: %s\n", what);
        abort();
    }
}

struct outcome {
    enum vm_stop why;
    uint64_t regs[VM_REGISTERS];
    uint64_t executed;
    uint64_t sum;
};

static uint64_t checksum(const uint8_t *bytes, size_t size)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < size; i++)
        sum = sum * 31 + bytes[i];
    return sum;
}

static struct outcome execute(struct vm *vm)
{
    struct outcome outcome;
    struct vm_error error;

    memset(&outcome, 0, sizeof(outcome));
    outcome.why = vm_execute(vm, BUDGET_OF_RUN);
    vm_describe_stop(vm, outcome.why, &error);
    memcpy(outcome.regs, vm->regs, sizeof(outcome.regs));
    outcome.executed = vm_executed(vm, BUDGET_OF_RUN);
    outcome.sum = checksum(vm->memory, vm->memory_size) ^ checksum(vm->stack, sizeof(vm->stack));

    const uint64_t top = VM_STACK_START + ((uint64_t)vm->depth + 1) * VM_STACK_SIZE;

    require(vm->depth < VM_MAX_FRAMES, "at most eight frames");
    require(vm->regs[VM_FRAME_REGISTER] == top, "r10 is the top of the frame");
    require(vm->regions[1].end[0] == top, "the stack ends at the top of the frame");
    require(outcome.why != VM_STOP_trap, "a verified program does not trap");
    require(outcome.why != VM_STOP_exit || vm->depth == 0, "a program exits from its own frame");
    return outcome;
}

/* Helper 5 is a clock. */
static int asks_the_time(const struct vm_program *program)
{
    for (size_t i = 0; i < program->length; i++)
        if (vm_immediate(&program->insns[i]) == 5)
            return 1;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct vm vm;
    struct vm_program program = {0};
    struct vm_error error;
    size_t memory_size, length;
    uint8_t *bytes;

    if (size < 1)
        return 0;
    memory_size = data[0] < size - 1 ? data[0] : size - 1;
    length = size - 1 - memory_size;
    /* Exactly as many bytes as there are, so that an access past them is seen. */
    bytes = malloc(length + !length);
    if (!bytes)
        return 0;
    memcpy(bytes, data + 1 + memory_size, length);
    if (vm_program_load(&program, bytes, length, 0, &error) == 0 &&
        vm_init(&vm, data + 1, memory_size, &error) == 0) {
        vm.entry = &program;
        vm.array[0] = &program;

        const struct outcome first = execute(&vm), second = execute(&vm);

        if (!asks_the_time(&program))
            require(!memcmp(&first, &second, sizeof(first)), "two runs end the same way");
        vm_release(&vm);
    }
    vm_program_free(&program);
    free(bytes);
    return 0;
}
