/* whyfast_turn.h - lets a program take turns under whyfast. One header, no library.
 *
 * C99, C11 and C++; POSIX (pipes, CLOCK_MONOTONIC). Include it before other headers when compiling
 * with a strict -std=c99 or -std=c11, because it asks the C library for POSIX declarations then.
 *
 * Example
 *
 *     #include "whyfast_turn.h"
 *
 *     static uint64_t run(void *state, uint64_t loops)
 *     {
 *         struct work *work = state;
 *         uint64_t result = 0;
 *         for (uint64_t i = 0; i < loops; i++)
 *             result = work_once(work);
 *         return result;
 *     }
 *
 *     int main(void)
 *     {
 *         struct work work = work_set_up();
 *         return whyfast_turns(run, &work);
 *     }
 *
 * `run` does the workload `loops` times and returns a check value: anything that shows whether the
 * work was done right, and that does not depend on how the program was compiled, or on `loops`.
 * The time from the call of `run` to its return is the value; keep set-up out of it.
 *
 * Started by whyfast, the program serves turns until whyfast closes the pipe. Started by hand, it
 * chooses a number of loops that takes long enough, and prints nanoseconds per loop.
 *
 * A workload that fails calls whyfast_turn_fail("what went wrong"), which does not return.
 *
 * The protocol, version 1, for those who write their own
 *
 *     The environment variable WHYFAST_TURN holds "IN,OUT": two inherited file descriptors.
 *     Set-up done, the program writes "ready 1\n" to OUT.
 *     Each line read from IN is a grant: "LOOPS\n", a decimal integer, at least 1. The program runs
 *     the workload LOOPS times, times exactly that with a monotonic clock, and writes
 *     "SECONDS\n" or "SECONDS CHECK\n" to OUT: decimal seconds with nine places, and a token
 *     without white space that must be the same for every variant.
 *     Several grants may be waiting; they are answered in order.
 *     End of file on IN: exit with 0. Malformed grant: write "error malformed grant\n", exit
 *     with 2. Failure of the workload: write "error TEXT\n", exit with another status than 0.
 *
 * Nothing here allocates memory, and between the two readings of the clock is only `run`.
 */
#ifndef WHYFAST_TURN_H
#define WHYFAST_TURN_H

#if defined(__STRICT_ANSI__) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef CLOCK_MONOTONIC
#error "CLOCK_MONOTONIC is missing: include whyfast_turn.h first, or define _POSIX_C_SOURCE=200809L"
#endif

#define WHYFAST_TURN_PROTOCOL 1

typedef uint64_t (*whyfast_turn_run)(void *state, uint64_t loops);

/* What was read from IN and not yet looked at. A grant is at most 20 digits long. */
struct whyfast_turn_input {
    int fd;
    size_t next;
    size_t filled;
    char data[512];
};

static inline uint64_t whyfast_turn_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Writes all of it. 0, or -1. */
static inline int whyfast_turn_write(int fd, const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(fd, text, size);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return -1;
        text += written;
        size -= (size_t)written;
    }
    return 0;
}

/* A descriptor in decimal up to `end`. -1 when it is none. */
static inline int whyfast_turn_descriptor(const char *text, char end)
{
    int value = 0;

    if (*text == end)
        return -1;
    for (; *text != end; text++) {
        if (*text < '0' || *text > '9' || value > 99999999)
            return -1;
        value = value * 10 + (*text - '0');
    }
    return value;
}

/* 1 when whyfast started this program, 0 when it did not, -1 when the variable is malformed. */
static inline int whyfast_turn_descriptors(int *in, int *out)
{
    const char *text = getenv("WHYFAST_TURN");
    const char *comma;

    if (!text)
        return 0;
    comma = strchr(text, ',');
    if (!comma)
        return -1;
    *in = whyfast_turn_descriptor(text, ',');
    *out = whyfast_turn_descriptor(comma + 1, '\0');
    return *in < 0 || *out < 0 ? -1 : 1;
}

/* Reports that the workload failed, and ends the process with status 1. */
static inline void whyfast_turn_fail(const char *text)
{
    char line[256];
    int in, out;

    snprintf(line, sizeof(line), "error %.240s", text);
    for (char *at = line; *at; at++)
        if (*at == '\n' || *at == '\r')
            *at = ' ';
    if (whyfast_turn_descriptors(&in, &out) == 1) {
        const size_t length = strlen(line);

        line[length] = '\n';
        whyfast_turn_write(out, line, length + 1);
    } else {
        fprintf(stderr, "%s\n", line);
    }
    exit(1);
}

/* The next character of IN, -1 at its end, -2 when it cannot be read. */
static inline int whyfast_turn_next(struct whyfast_turn_input *input)
{
    while (input->next == input->filled) {
        const ssize_t got = read(input->fd, input->data, sizeof(input->data));

        if (got == 0)
            return -1;
        if (got < 0 && errno != EINTR)
            return -2;
        input->next = 0;
        input->filled = got < 0 ? 0 : (size_t)got;
    }
    return (unsigned char)input->data[input->next++];
}

enum whyfast_turn_grant {
    WHYFAST_TURN_GRANTED,
    WHYFAST_TURN_END,
    WHYFAST_TURN_MALFORMED,
    WHYFAST_TURN_UNREADABLE
};

static inline enum whyfast_turn_grant whyfast_turn_wait(struct whyfast_turn_input *input,
                                                        uint64_t *loops)
{
    int character = whyfast_turn_next(input);
    uint64_t value = 0;

    if (character == -1)
        return WHYFAST_TURN_END;
    while (character >= '0' && character <= '9') {
        const uint64_t digit = (uint64_t)(character - '0');

        if (value > (UINT64_MAX - digit) / 10)
            return WHYFAST_TURN_MALFORMED;
        value = value * 10 + digit;
        character = whyfast_turn_next(input);
    }
    if (character == -2)
        return WHYFAST_TURN_UNREADABLE;
    if (character != '\n' || value == 0)
        return WHYFAST_TURN_MALFORMED;
    *loops = value;
    return WHYFAST_TURN_GRANTED;
}

/* "SECONDS CHECK\n", and its length. The digits behind the point are made by the same instructions
 * whatever they are, so that counts of instructions do not depend on how long a turn took. */
static inline int whyfast_turn_answer(char *line, size_t size, uint64_t elapsed, uint64_t check)
{
    uint64_t rest = elapsed % UINT64_C(1000000000);
    char places[10];

    for (int i = 8; i >= 0; i--) {
        places[i] = (char)('0' + rest % 10);
        rest /= 10;
    }
    places[9] = '\0';
    return snprintf(line, size, "%" PRIu64 ".%s 0x%" PRIx64 "\n", elapsed / UINT64_C(1000000000),
                    places, check);
}

static inline int whyfast_turn_serve(whyfast_turn_run run, void *state, int in, int out)
{
    static const char ready[] = "ready 1\n";
    static const char malformed[] = "error malformed grant\n";
    struct whyfast_turn_input input;
    char line[80];

    input.fd = in;
    input.next = 0;
    input.filled = 0;
    if (whyfast_turn_write(out, ready, sizeof(ready) - 1))
        return 1;
    for (;;) {
        uint64_t loops = 0, start, elapsed, check;
        int length;

        switch (whyfast_turn_wait(&input, &loops)) {
        case WHYFAST_TURN_GRANTED:
            break;
        case WHYFAST_TURN_END:
            return 0;
        case WHYFAST_TURN_UNREADABLE:
            return 1;
        case WHYFAST_TURN_MALFORMED:
            whyfast_turn_write(out, malformed, sizeof(malformed) - 1);
            return 2;
        }
        start = whyfast_turn_clock();
        check = run(state, loops);
        elapsed = whyfast_turn_clock() - start;
        length = whyfast_turn_answer(line, sizeof(line), elapsed, check);
        if (whyfast_turn_write(out, line, (size_t)length))
            return 1;
    }
}

/* For a human: doubles the loops until they take 50 ms, then keeps the fastest of seven. */
static inline int whyfast_turn_measure(whyfast_turn_run run, void *state)
{
    uint64_t loops = 1, best = 0, check = 0;

    for (;;) {
        const uint64_t start = whyfast_turn_clock();

        check = run(state, loops);
        best = whyfast_turn_clock() - start;
        if (best >= UINT64_C(50000000) || loops > UINT64_MAX / 4)
            break;
        loops *= 2;
    }
    for (int i = 0; i < 6; i++) {
        const uint64_t start = whyfast_turn_clock();
        uint64_t elapsed;

        check = run(state, loops);
        elapsed = whyfast_turn_clock() - start;
        if (elapsed < best)
            best = elapsed;
    }
    printf("%.1f ns per loop (fastest of 7 values of %" PRIu64 " loops), check 0x%" PRIx64 "\n",
           (double)best / (double)loops, loops, check);
    return 0;
}

/* Serves turns, or measures by itself when whyfast did not start the program. Returns the exit
 * status for main. */
static inline int whyfast_turns(whyfast_turn_run run, void *state)
{
    int in, out;

    switch (whyfast_turn_descriptors(&in, &out)) {
    case 0:
        return whyfast_turn_measure(run, state);
    case 1:
        return whyfast_turn_serve(run, state, in, out);
    default:
        fprintf(stderr, "WHYFAST_TURN is malformed: expected two file descriptors, IN,OUT\n");
        return 2;
    }
}

#endif
