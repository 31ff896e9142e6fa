/* bpf-chain: chains of BPF tail calls, run and timed in the kernel. See README.md. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "commands.h"

int report_refusal(const struct refusal *why)
{
    const char *at = why->log;

    fprintf(stderr, "bpf-chain: %s\n", why->text);
    while (*at) {
        const int length = (int)strcspn(at, "\n");

        if (length)
            fprintf(stderr, "  %.*s\n", length, at);
        at += length + (at[length] == '\n');
    }
    return why->impossible ? STATUS_IMPOSSIBLE : STATUS_FAILED;
}

uint64_t nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(const struct options *);
    } commands[] = {
        {"run", command_run},           {"turn", command_turn},   {"histogram", command_histogram},
        {"overhead", command_overhead}, {"image", command_image}, {"hex", command_hex},
        {"probe", command_probe},
    };
    struct options options;

    if (options_read(&options, argc, argv))
        return STATUS_USAGE;
    for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
        if (!strcmp(options.command, commands[i].name))
            return commands[i].run(&options);
    return STATUS_USAGE;
}
