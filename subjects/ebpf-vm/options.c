/* Reads the command line. */
#include <stdlib.h>
#include <string.h>

#include "options.h"

const char options_usage[] =
    "usage: ebpf-vm run PROGRAM [options]    run once, print r0\n"
    "       ebpf-vm turn PROGRAM [options]   run many times, timed (WHYFAST_TURN)\n"
    "       ebpf-vm plugin [MEMORY] [--max-insns N]  run standard input, as bpf_conformance wants\n"
    "\n"
    "PROGRAM is bytecode as text (.hex), an ELF object, or else raw bytecode.\n"
    "\n"
    "  --mem HEX                memory given to the program: r1 its address, r2 its length\n"
    "  --mem-size N             as many bytes of memory, zero where --mem gives none\n"
    "  --max-insns N            stop after about N instructions (run: 1000000000, turn: never)\n"
    "  --section NAME           the section of an ELF object to run (.text)\n"
    "  --entry NAME             the function of an ELF object to start with\n"
    "  --prog-array INDEX=FILE  a program for tail calls; may be repeated\n"
    "  --programs FILE          instead of PROGRAM: hexadecimal text, a program a line; the first\n"
    "                           is run, the others are for tail calls, numbered from 0\n"
    "  --count                  run: print the number of executed instructions on stderr\n";

int options_number(const char *option, const char *text, uint64_t maximum, uint64_t *out,
                   struct vm_error *error)
{
    uint64_t value = 0;
    const char *at = text;

    for (; *at >= '0' && *at <= '9' && value <= maximum / 10; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    if (at == text || *at || value > maximum)
        return vm_fail(error, "%s: expected a number up to %llu, not \"%.40s\"", option,
                       (unsigned long long)maximum, text);
    *out = value;
    return 0;
}

int options_budget(const char *text, int64_t *out, struct vm_error *error)
{
    uint64_t number;

    if (options_number("--max-insns", text, VM_NO_LIMIT, &number, error))
        return -1;
    if (number == 0)
        return vm_fail(error, "--max-insns: 0 instructions are too few");
    *out = (int64_t)number;
    return 0;
}

static int parse_array_entry(struct options *options, char *text, struct vm_error *error)
{
    char *equals = strchr(text, '=');
    uint64_t index;

    if (!equals || !equals[1])
        return vm_fail(error, "--prog-array: expected INDEX=FILE, not \"%.40s\"", text);
    *equals = '\0';
    if (options_number("--prog-array", text, VM_PROGRAM_ARRAY - 1, &index, error))
        return -1;
    options->array[index] = equals + 1;
    return 0;
}

static int parse_option(struct options *options, const char *option, char *value,
                        struct vm_error *error)
{
    uint64_t number;

    if (!strcmp(option, "--mem")) {
        options->memory_hex = value;
    } else if (!strcmp(option, "--mem-size")) {
        if (options_number(option, value, VM_MAX_MEMORY, &number, error))
            return -1;
        options->memory_size = (size_t)number;
    } else if (!strcmp(option, "--max-insns")) {
        return options_budget(value, &options->max_insns, error);
    } else if (!strcmp(option, "--section")) {
        options->section = value;
    } else if (!strcmp(option, "--entry")) {
        options->entry = value;
    } else if (!strcmp(option, "--programs")) {
        options->programs = value;
    } else if (!strcmp(option, "--prog-array")) {
        return parse_array_entry(options, value, error);
    } else {
        return vm_fail(error, "unknown option %.40s", option);
    }
    return 0;
}

static int parse_command(struct options *options, const char *word, struct vm_error *error)
{
    if (!strcmp(word, "run"))
        options->command = COMMAND_RUN;
    else if (!strcmp(word, "turn"))
        options->command = COMMAND_TURN;
    else if (!strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h"))
        options->command = COMMAND_HELP;
    else
        return vm_fail(error, "unknown command %.40s; see ebpf-vm help", word);
    return 0;
}

int options_parse(struct options *options, int argc, char **argv, struct vm_error *error)
{
    memset(options, 0, sizeof(*options));
    if (argc < 2)
        return vm_fail(error, "no command given; see ebpf-vm help");
    if (parse_command(options, argv[1], error))
        return -1;
    for (int i = 2; i < argc; i++) {
        if (!strcmp(argv[i], "--count")) {
            options->count = 1;
        } else if (!strncmp(argv[i], "--", 2)) {
            if (i + 1 == argc)
                return vm_fail(error, "%.40s: the value is missing", argv[i]);
            if (parse_option(options, argv[i], argv[i + 1], error))
                return -1;
            i++;
        } else if (options->program) {
            return vm_fail(error, "more than one program; see --prog-array");
        } else {
            options->program = argv[i];
        }
    }
    if (options->program && options->programs)
        return vm_fail(error, "--programs: there is a program already, %.300s", options->program);
    if (options->command != COMMAND_HELP && !options->program && !options->programs)
        return vm_fail(error, "no program given");
    return 0;
}
