/* What the drivers in C share: reading a program and its memory from the command line. */
#ifndef DRIVER_PROGRAM_H
#define DRIVER_PROGRAM_H

#include "whyfast_turn.h"

struct program {
    uint8_t *code;
    size_t code_size;
    uint8_t *memory;
    size_t memory_size;
    uint8_t *image; /* what the memory is before each execution */
};

static inline void driver_fail(const char *what)
{
    fprintf(stderr, "driver: %s\n", what);
    exit(2);
}

/* Hexadecimal text, with comments from # to the end of a line. */
static inline void read_program(struct program *program, const char *path)
{
    FILE *file = fopen(path, "r");
    size_t room = 1 << 20;
    unsigned byte;
    int c;

    program->code = malloc(room);
    if (!file || !program->code)
        driver_fail("cannot read the program");
    while ((c = fgetc(file)) != EOF) {
        if (c == '#') {
            while (c != '\n' && c != EOF)
                c = fgetc(file);
        } else if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
            ungetc(c, file);
            if (program->code_size == room || fscanf(file, "%2x", &byte) != 1)
                driver_fail("the program is no hexadecimal text");
            program->code[program->code_size++] = (uint8_t)byte;
        }
    }
    fclose(file);
}

/* DRIVER PROGRAM MEMORY_SIZE */
static inline struct program program_of(int argc, char **argv)
{
    struct program program = {0};

    if (argc < 3)
        driver_fail("expected PROGRAM MEMORY_SIZE");
    read_program(&program, argv[1]);
    program.memory_size = strtoul(argv[2], NULL, 10);
    program.memory = calloc(program.memory_size + 1, 1);
    program.image = calloc(program.memory_size + 1, 1);
    if (!program.memory || !program.image)
        driver_fail("out of memory");
    return program;
}

/* Before each execution, and timed with it: the machine under study does the same. */
static inline void reset_memory(struct program *program)
{
    memcpy(program->memory, program->image, program->memory_size);
}

#endif
