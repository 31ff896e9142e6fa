/* The command line. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "bytecode.h"

struct options {
    const char *command;
    int calls[MOST_CALLS + 1];
    int calls_count;
    enum index_form forms[2];
    int forms_count;
    uint32_t repeat, times, runs;
    int allow_interpreter;
};

/* 0, or -1 after one line on standard error. */
int options_read(struct options *options, int argc, char **argv);

extern const char *const form_names[2];

#endif
