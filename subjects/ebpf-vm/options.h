/* The command line. */
#ifndef EBPF_VM_OPTIONS_H
#define EBPF_VM_OPTIONS_H

#include "vm.h"

enum command { COMMAND_HELP, COMMAND_RUN, COMMAND_TURN };

struct options {
    enum command command;
    const char *program;
    const char *programs; /* a file of several, or null */
    const char *section;
    const char *entry;
    const char *memory_hex;
    size_t memory_size;
    int64_t max_insns; /* 0: not given */
    int count;
    const char *array[VM_PROGRAM_ARRAY];
};

extern const char options_usage[];

/* The value of an option, a decimal number up to `maximum`. 0, or -1 with a message. */
int options_number(const char *option, const char *text, uint64_t maximum, uint64_t *out,
                   struct vm_error *error);

/* The value of --max-insns. */
int options_budget(const char *text, int64_t *out, struct vm_error *error);

/* 0, or -1 with a message. */
int options_parse(struct options *options, int argc, char **argv, struct vm_error *error);

#endif
