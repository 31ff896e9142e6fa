#define _GNU_SOURCE /* RUSAGE_THREAD */
#include "whyfast_turn.h"

#include <sys/resource.h>

#include "commands.h"

/* How long one system call should take: 300 times what the call itself costs, and well below what
 * a scheduler lets a program have at a time. */
#define CALL_NS 200000

/* So often a system call is made again that the scheduler interrupted. */
#define MOST_TRIES 100

struct timed_chain {
    struct chain chain;
    uint32_t repeat; /* runs in one system call */
    uint64_t elapsed;
};

static int64_t interruptions(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_THREAD, &usage) ? 0 : usage.ru_nivcsw;
}

/* One system call. Where other programs want the same CPU, they have it in the middle of some; such
 * a call is made again, for its time is not the chain's. */
static uint64_t chain_once(const struct chain *chain, uint32_t repeat, struct chain_result *result)
{
    for (int tries = 1;; tries++) {
        const int64_t before = interruptions();
        const uint64_t start = nanoseconds();
        struct refusal why;
        uint64_t elapsed;

        if (chain_run(chain, repeat, result, &why)) {
            report_refusal(&why);
            whyfast_turn_fail(why.text);
        }
        elapsed = nanoseconds() - start;
        if (tries == MOST_TRIES || interruptions() == before)
            return elapsed;
    }
}

/* A loop is one run of the chain, and the check value the number of tail calls that it made. Whole
 * system calls are timed: the kernel's own mean is rounded down to whole nanoseconds. */
static uint64_t run(void *state, uint64_t loops)
{
    struct timed_chain *timed = state;
    struct chain_result result = {0, 0};

    timed->elapsed = 0;
    while (loops > 0) {
        const uint32_t repeat = loops < timed->repeat ? (uint32_t)loops : timed->repeat;

        timed->elapsed += chain_once(&timed->chain, repeat, &result);
        loops -= repeat;
    }
    return result.returned;
}

/* As whyfast_turn_serve, with the time that `run` took note of. */
static int serve(struct timed_chain *timed, int in, int out)
{
    struct whyfast_turn_input input = {.fd = in};
    char line[80];
    uint64_t loops = 0;

    if (whyfast_turn_write(out, "ready 1\n", 8))
        return STATUS_FAILED;
    for (;;) {
        const enum whyfast_turn_grant grant = whyfast_turn_wait(&input, &loops);
        uint64_t check;
        int length;

        if (grant == WHYFAST_TURN_END)
            return STATUS_DONE;
        if (grant == WHYFAST_TURN_UNREADABLE)
            return STATUS_FAILED;
        if (grant == WHYFAST_TURN_MALFORMED) {
            whyfast_turn_write(out, "error malformed grant\n", 22);
            return STATUS_USAGE;
        }
        check = run(timed, loops);
        length = snprintf(line, sizeof(line), "%" PRIu64 ".%09" PRIu64 " 0x%" PRIx64 "\n",
                          timed->elapsed / UINT64_C(1000000000),
                          timed->elapsed % UINT64_C(1000000000), check);
        if (whyfast_turn_write(out, line, (size_t)length))
            return STATUS_FAILED;
    }
}

/* The repeat count for a system call of about CALL_NS. */
static int choose_repeat(struct timed_chain *timed, struct refusal *why)
{
    struct chain_result result;

    timed->repeat = 1;
    for (;;) {
        const uint64_t start = nanoseconds();
        uint64_t elapsed;

        if (chain_run(&timed->chain, timed->repeat, &result, why))
            return -1;
        elapsed = nanoseconds() - start;
        if (elapsed >= CALL_NS / 2 || timed->repeat >= UINT32_C(1) << 20) {
            /* An interrupted try says too little; no run takes less than a nanosecond. */
            const uint64_t fit = timed->repeat * (uint64_t)CALL_NS / (elapsed ? elapsed : 1);

            timed->repeat = fit ? (uint32_t)fit : 1;
            return 0;
        }
        timed->repeat *= 2;
    }
}

/* For a human: the fastest of seven values of about 20 ms. */
static int measure(struct timed_chain *timed)
{
    const uint64_t loops = (uint64_t)timed->repeat * 100;
    uint64_t best = UINT64_MAX, returned = 0;

    for (int i = 0; i < 7; i++) {
        returned = run(timed, loops);
        best = timed->elapsed < best ? timed->elapsed : best;
    }
    printf("%.2f ns a run with %" PRIu64 " tail calls (fastest of 7 values of %" PRIu64 " runs)\n",
           (double)best / (double)loops, returned, loops);
    return STATUS_DONE;
}

static int cannot(const char *text, int status)
{
    int in, out;

    if (whyfast_turn_descriptors(&in, &out) == 1)
        whyfast_turn_fail(text);
    return status;
}

int command_turn(const struct options *options)
{
    static struct timed_chain timed;
    struct refusal why;
    int in, out;

    if (chain_load(&timed.chain, options->calls[0], options->forms[0], 0, &why)
        || choose_repeat(&timed, &why)) {
        const int status = report_refusal(&why);

        return cannot(why.text, status);
    }
    if (!options->allow_interpreter && !chain_compiled(&timed.chain)) {
        static const char text[] = "the kernel interprets the programs instead of compiling them: "
                                   "set net.core.bpf_jit_enable to 1, or say --allow-interpreter";

        fprintf(stderr, "bpf-chain: %s\n", text);
        return cannot(text, STATUS_IMPOSSIBLE);
    }
    switch (whyfast_turn_descriptors(&in, &out)) {
    case 0:
        return measure(&timed);
    case 1:
        return serve(&timed, in, out);
    default:
        fprintf(stderr, "WHYFAST_TURN is malformed: expected two file descriptors, IN,OUT\n");
        return STATUS_USAGE;
    }
}
