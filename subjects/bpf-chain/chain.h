/* A chain in the kernel: its maps and programs, and running it. */
#ifndef CHAIN_H
#define CHAIN_H

#include "bytecode.h"

/* Why something did not work. `impossible`: this kernel or user cannot do it at all. `log` is the
 * verifier's, or empty. */
struct refusal {
    int impossible;
    char text[400];
    char log[16384];
};

struct chain {
    int calls;
    enum index_form form;
    int timed;
    int map, histogram; /* file descriptors; histogram only when timed */
    int programs[MOST_CALLS + 1];
};

/* Makes the maps, loads the calls + 1 programs, and fills the program array. 0, or -1 with `why`
 * filled in. What was made is released when the process ends. */
int chain_load(struct chain *chain, int calls, enum index_form form, int timed,
               struct refusal *why);

/* How many tail calls a run of the chain makes. */
uint32_t chain_expected(const struct chain *chain);

struct chain_result {
    uint32_t returned; /* tail calls made by the last run */
    uint32_t mean;     /* ns a run as the kernel reports it: a whole number */
};

/* Runs the chain `repeat` times in one system call. A result other than expected is a refusal. */
int chain_run(const struct chain *chain, uint32_t repeat, struct chain_result *result,
              struct refusal *why);

/* How often the timed chain's runs fell into each bucket. */
int chain_histogram(const struct chain *chain, uint64_t counts[BUCKETS], struct refusal *why);

/* The machine code of one program. Sets *size to its length in bytes, 0 when the kernel interprets
 * the program or does not show the code, and *address to 0 when the kernel hides it. */
int chain_image(const struct chain *chain, int number, uint8_t *code, uint32_t room, uint32_t *size,
                uint64_t *address, struct refusal *why);

/* Whether the kernel compiled the programs, 1 or 0. */
int chain_compiled(const struct chain *chain);

#endif
