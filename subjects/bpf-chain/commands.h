/* What the program can do, one function a command. Each returns the exit status. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "chain.h"
#include "options.h"

enum { STATUS_DONE = 0, STATUS_FAILED = 1, STATUS_USAGE = 2, STATUS_IMPOSSIBLE = 3 };

int command_run(const struct options *options);       /* plain lines of timings */
int command_turn(const struct options *options);      /* whyfast's turn protocol */
int command_histogram(const struct options *options); /* how long single runs take */
int command_overhead(const struct options *options);  /* what the ways of timing cost */
int command_image(const struct options *options);     /* the machine code that the kernel made */
int command_hex(const struct options *options);       /* the bytecode; needs no kernel */
int command_probe(const struct options *options);     /* whether chains can be run here */

/* Says why on standard error, the verifier's log indented below; returns the exit status. */
int report_refusal(const struct refusal *why);

/* Monotonic time in ns. */
uint64_t nanoseconds(void);

#endif
