/* A kernel in the place of the real one, for tests of what bpf-chain makes of its answers.
 *
 * FAKE_KERNEL is "COMMAND ERRNO": that command of bpf() fails so; everything else succeeds.
 * FAKE_LOG is what its verifier says, FAKE_RETURNED what a test run returns. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

long bpf_call(enum bpf_command command, void *attributes, uint32_t size)
{
    const char *fake = getenv("FAKE_KERNEL"), *log = getenv("FAKE_LOG");
    int which = -1, error = 0;

    (void)size;
    if (fake && sscanf(fake, "%d %d", &which, &error) == 2 && which == (int)command) {
        struct bpf_prog_load *load = attributes;

        if (command == BPF_PROG_LOAD && load->log_level && log)
            snprintf((char *)(uintptr_t)load->log, load->log_size, "%s", log);
        return -error;
    }
    if (command == BPF_PROG_TEST_RUN && getenv("FAKE_RETURNED"))
        ((struct bpf_test_run *)attributes)->returned = (uint32_t)atoi(getenv("FAKE_RETURNED"));
    return 1000;
}
