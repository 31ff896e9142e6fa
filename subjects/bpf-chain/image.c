#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"

static void print_hex(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%02x", bytes[i]);
    putchar('\n');
}

/* What stands in for an indirect branch or a return in compiled code. */
static int is_thunk(const char *name)
{
    return (!strncmp(name, "__x86_indirect_", 15) && !strstr(name, "_array")) || !strcmp(name, "__x86_return_thunk")
        || (strstr(name, "_return_thunk") && strncmp(name, "__", 2));
}

/* The kernel's thunks, where /proc/kallsyms shows addresses. */
static void print_thunks(void)
{
    FILE *symbols = fopen("/proc/kallsyms", "r");
    char line[512], name[256], kind;
    uint64_t address;

    if (!symbols)
        return;
    while (fgets(line, sizeof(line), symbols)) {
        if (strstr(line, "thunk")
            && sscanf(line, "%" SCNx64 " %c %255s", &address, &kind, name) == 3 && address
            && is_thunk(name))
            printf("symbol 0x%" PRIx64 " %s\n", address, name);
    }
    fclose(symbols);
}

int command_image(const struct options *options)
{
    static uint8_t code[65536];
    struct chain chain;
    struct refusal why;

    if (chain_load(&chain, options->calls[0], options->forms[0], 0, &why))
        return report_refusal(&why);
    printf("image calls=%d index=%s\ncompiled %d\n", chain.calls, form_names[chain.form],
           chain_compiled(&chain));
    for (int i = 0; i <= chain.calls; i++) {
        uint64_t address;
        uint32_t size;

        if (chain_image(&chain, i, code, sizeof(code), &size, &address, &why))
            return report_refusal(&why);
        if (!size)
            continue;
        printf("program %d 0x%" PRIx64 " ", i, address);
        print_hex(code, size);
    }
    print_thunks();
    puts("done");
    return STATUS_DONE;
}

int command_hex(const struct options *options)
{
    const struct map_names none = {0, 0, 0};
    struct program program;

    for (int i = 0; i <= options->calls[0]; i++) {
        chain_program(&program, i, options->calls[0], options->forms[0], &none);
        for (size_t n = 0; n < program.count; n++) {
            const struct instruction *one = &program.code[n];

            /* As bytes in little-endian order, whatever this machine's is. */
            printf("%02x%02x%02x%02x%02x%02x%02x%02x", one->opcode, one->registers,
                   one->offset & 0xff, (one->offset >> 8) & 0xff, one->immediate & 0xff,
                   (one->immediate >> 8) & 0xff, (one->immediate >> 16) & 0xff,
                   (one->immediate >> 24) & 0xff);
        }
        putchar('\n');
    }
    return STATUS_DONE;
}
