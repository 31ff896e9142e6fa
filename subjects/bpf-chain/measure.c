#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "commands.h"

#define TRIES 201

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static int run_one(int calls, enum index_form form, const struct options *options,
                   struct refusal *why)
{
    struct chain chain;
    struct chain_result result;

    if (chain_load(&chain, calls, form, 0, why))
        return -1;
    printf("chain calls=%d index=%s jited=%d\n", calls, form_names[form], chain_compiled(&chain));
    fflush(stdout);
    if (chain_run(&chain, options->repeat, &result, why)) /* warms up */
        return -1;
    for (uint32_t time = 0; time < options->times; time++) {
        const uint64_t start = nanoseconds();
        uint64_t elapsed;

        if (chain_run(&chain, options->repeat, &result, why))
            return -1;
        elapsed = nanoseconds() - start;
        printf("value calls=%d index=%s repeat=%" PRIu32 " time=%" PRIu32 " returned=%" PRIu32
               " ns=%" PRIu64 " kernel_ns=%" PRIu32 "\n",
               calls, form_names[form], options->repeat, time, result.returned, elapsed,
               result.mean);
        fflush(stdout);
    }
    return 0;
}

int command_run(const struct options *options)
{
    struct utsname system;
    struct refusal why;

    printf("bpf-chain 1 kernel=%s\n", uname(&system) ? "unknown" : system.release);
    fflush(stdout);
    for (int f = 0; f < options->forms_count; f++)
        for (int i = 0; i < options->calls_count; i++)
            if (run_one(options->calls[i], options->forms[f], options, &why))
                return report_refusal(&why);
    puts("done");
    return STATUS_DONE;
}

/* The median time of a system call that runs the chain `repeat` times, in ns; 0 when it fails. */
static uint64_t median_call(const struct chain *chain, uint32_t repeat, struct refusal *why)
{
    static uint64_t times[TRIES];
    struct chain_result result;

    for (int i = 0; i < TRIES; i++) {
        const uint64_t start = nanoseconds();

        if (chain_run(chain, repeat, &result, why))
            return 0;
        times[i] = nanoseconds() - start;
    }
    qsort(times, TRIES, sizeof(*times), compare);
    return times[TRIES / 2];
}

int command_overhead(const struct options *options)
{
    struct chain empty;
    struct refusal why;
    uint64_t once, often;

    (void)options;
    if (chain_load(&empty, 0, INDEX_STATIC, 0, &why))
        return report_refusal(&why);
    once = median_call(&empty, 1, &why);
    often = once ? median_call(&empty, 1001, &why) : 0;
    if (!often)
        return report_refusal(&why);
    printf("overhead %" PRIu64 ".0 one system call that runs an empty program once\n", once);
    printf("overhead %.1f each further run of the empty program in the same call\n",
           ((double)often - (double)once) / 1000.0);
    puts("done");
    return STATUS_DONE;
}

static uint64_t bucket_start(int bucket)
{
    if (bucket < FINE_BUCKETS)
        return (uint64_t)bucket;
    return (uint64_t)(bucket - FINE_BUCKETS + (FINE_BUCKETS >> COARSE_SHIFT)) << COARSE_SHIFT;
}

int command_histogram(const struct options *options)
{
    static uint64_t before[BUCKETS], after[BUCKETS];
    struct chain chain;
    struct chain_result result;
    struct refusal why;

    if (chain_load(&chain, options->calls[0], options->forms[0], 1, &why)
        || chain_run(&chain, 1000, &result, &why) /* warms up */
        || chain_histogram(&chain, before, &why) || chain_run(&chain, options->runs, &result, &why)
        || chain_histogram(&chain, after, &why))
        return report_refusal(&why);
    printf("histogram calls=%d index=%s runs=%" PRIu32 "\n", options->calls[0],
           form_names[options->forms[0]], options->runs);
    for (int i = 0; i < BUCKETS; i++) {
        const int width = i == BUCKETS - 1 ? 0 : i < FINE_BUCKETS ? 1 : 1 << COARSE_SHIFT;

        if (after[i] > before[i])
            printf("bucket %" PRIu64 " %d %" PRIu64 "\n", bucket_start(i), width,
                   after[i] - before[i]);
    }
    puts("done");
    return STATUS_DONE;
}

int command_probe(const struct options *options)
{
    struct chain chain;
    struct chain_result result;
    struct refusal why;

    (void)options;
    if (chain_load(&chain, 1, INDEX_STATIC, 0, &why) || chain_run(&chain, 1, &result, &why))
        return report_refusal(&why);
    printf("jited=%d\n", chain_compiled(&chain));
    return STATUS_DONE;
}
