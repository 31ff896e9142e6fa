/* Runs a program once and prints, a line for each of its instructions,
 *
 *     STEP LEFT RIGHT RECENT ENDS EXECUTED THROUGH
 *
 * the step that it is in the pinned form (- for none) with the slots of its operands, the register
 * written last before it (255 for none), 1 when nothing follows it, how often it was executed, and
 * how often the instruction behind it came next. Compiled with -DVM_DISPATCH_PINNED
 * -DVM_NO_STRETCHES and the machine's other files.
 *
 *     profile PROGRAM MEMORY_SIZE */
#include <stdio.h>
#include <stdlib.h>

#include "interp.c"
#include "load.h"

static const char *const step_names[STEP_COUNT] = {
    "-",
#define STEP_NAME(name) #name,
    VM_STEPS(STEP_NAME, STEP_NAME, STEP_NAME, STEP_NAME)};

static uint64_t *executed, *through;
static size_t last;

/* Counts, and leaves the work to the handler of the one instruction. */
static CONVENTION enum vm_stop count(PARAMETERS)
{
    const size_t at = (size_t)(pc - vm->current->insns);

    executed[at]++;
    through[last] += at == last + 1;
    last = at;
    MUSTTAIL return handler_of(pc)(ARGUMENTS);
}

int main(int argc, char **argv)
{
    static struct vm vm;
    struct vm_program program = {0};
    struct bytes code;
    struct vm_error error;
    uint8_t *steps, *recent, *memory;
    const size_t size = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

    if (argc < 2 || load_file(argv[1], &(struct elf_wanted){0}, &code, &error) ||
        vm_program_load(&program, code.data, code.size, 0, &error)) {
        fprintf(stderr, "profile: %s\n", argc < 2 ? "expected PROGRAM MEMORY_SIZE" : error.text);
        return 2;
    }
    steps = calloc(program.length, 1);
    recent = calloc(program.length, 1);
    memory = calloc(size + 1, 1);
    executed = calloc(program.length + 1, sizeof(*executed));
    through = calloc(program.length + 1, sizeof(*through));
    if (!steps || !recent || !memory || !executed || !through ||
        vm_init(&vm, memory, size, &error) || vm_find_steps(&program, steps, &error))
        return 2;
    for (size_t at = 0; at < program.length; at++)
        program.insns[at].handler = (void (*)(void))count;
    vm_find_recent(&program, recent);
    vm.entry = &program;
    if (vm_execute(&vm, VM_DEFAULT_LIMIT) != VM_STOP_exit)
        return 1;
    for (size_t at = 0; at < program.length; at++) {
        const struct vm_insn *insn = &program.insns[at];
        const int ends = insn->op == OP_ja || insn->op == OP_ja32 || insn->op == OP_exit;

        printf("%s %d %d %d %d %llu %llu\n", step_names[steps[at]], (int)(insn->slots & 255),
               (int)(insn->slots >> 8 & 255), recent[at], ends, (unsigned long long)executed[at],
               (unsigned long long)through[at]);
    }
    return 0;
}
