#define _GNU_SOURCE
#include "chain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "kernel.h"

/* The kernel's own error number for "not supported", which no C library knows. */
#define KERNEL_ENOTSUPP 524

/* A packet: nothing reads it, but a classifier cannot be run without one. */
#define PACKET_SIZE 64

static uint64_t pointer(const void *address)
{
    return (uint64_t)(uintptr_t)address;
}

/* Fills in `why` from a negative result of the system call; returns -1. */
static int refuse(struct refusal *why, const char *what, long error)
{
    const char *reason = strerror((int)-error);

    why->impossible = 0;
    switch (-error) {
    case EPERM:
    case EACCES:
        /* A verifier's refusal is EACCES too, and has a log. */
        if (!why->log[0]) {
            reason = "not permitted: needs root or CAP_BPF with CAP_NET_ADMIN (and no seccomp "
                     "filter that forbids bpf())";
            why->impossible = 1;
        }
        break;
    case ENOSYS:
        reason = "this kernel has no bpf() system call (CONFIG_BPF_SYSCALL)";
        why->impossible = 1;
        break;
    case KERNEL_ENOTSUPP:
        reason = "this kernel does not support it";
        why->impossible = 1;
        break;
    case E2BIG:
        if (!why->log[0])
            reason = "this kernel knows a shorter form of the call only";
        break;
    default:
        break;
    }
    snprintf(why->text, sizeof(why->text), "%s: %s", what, reason);
    return -1;
}

static int make_map(enum bpf_map_kind kind, uint32_t value_size, uint32_t entries, const char *what,
                    struct refusal *why)
{
    struct bpf_map_create attributes = {0};
    long map;

    attributes.kind = kind;
    attributes.key_size = sizeof(uint32_t);
    attributes.value_size = value_size;
    attributes.entries = entries;
    map = bpf_call(BPF_MAP_CREATE, &attributes, sizeof(attributes));
    return map < 0 ? refuse(why, what, map) : (int)map;
}

static int load_program(const struct program *program, int number, struct refusal *why)
{
    static const char license[] = "Dual MIT/GPL"; /* reading the clock needs GPL compatibility */
    struct bpf_prog_load attributes = {0};
    char what[64];
    long loaded;

    attributes.kind = PROGRAM_SCHED_CLS;
    attributes.count = (uint32_t)program->count;
    attributes.instructions = pointer(program->code);
    attributes.license = pointer(license);
    loaded = bpf_call(BPF_PROG_LOAD, &attributes, sizeof(attributes));
    if (loaded >= 0)
        return (int)loaded;
    snprintf(what, sizeof(what), "loading program %d of the chain", number);
    if (loaded != -EPERM && loaded != -ENOSYS) {
        /* Once more, for the verifier to say why. */
        long again;

        attributes.log_level = 1;
        attributes.log_size = sizeof(why->log);
        attributes.log = pointer(why->log);
        again = bpf_call(BPF_PROG_LOAD, &attributes, sizeof(attributes));
        if (again >= 0)
            return (int)again;
        why->log[sizeof(why->log) - 1] = '\0';
    }
    return refuse(why, what, loaded);
}

static int put_program(int map, uint32_t index, uint32_t program, struct refusal *why)
{
    struct bpf_map_element attributes = {0};
    long done;

    attributes.map = (uint32_t)map;
    attributes.key = pointer(&index);
    attributes.value = pointer(&program);
    done = bpf_call(BPF_MAP_UPDATE, &attributes, sizeof(attributes));
    return done < 0 ? refuse(why, "filling the program array", done) : 0;
}

int chain_load(struct chain *chain, int calls, enum index_form form, int timed, struct refusal *why)
{
    const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
    struct map_names names;
    struct program program;

    memset(why, 0, sizeof(*why));
    chain->calls = calls;
    chain->form = form;
    chain->timed = timed;
    /* Before Linux 5.11 maps count as locked memory; where this fails, a map may still be made. */
    setrlimit(RLIMIT_MEMLOCK, &unlimited);
    chain->map = make_map(MAP_PROG_ARRAY, sizeof(uint32_t), MOST_CALLS + 1,
                          "making the program array", why);
    if (chain->map < 0)
        return -1;
    chain->histogram = -1;
    if (timed) {
        chain->histogram = make_map(MAP_ARRAY, sizeof(uint64_t), BUCKETS, "making the histogram", why);
        if (chain->histogram < 0)
            return -1;
    }
    names.programs = chain->map;
    names.histogram = chain->histogram;
    names.in_kernel = 1;
    for (int i = 0; i <= calls; i++) {
        (timed ? timed_program : chain_program)(&program, i, calls, form, &names);
        chain->programs[i] = load_program(&program, i, why);
        if (chain->programs[i] < 0)
            return -1;
        if (i > 0 && put_program(chain->map, (uint32_t)i, (uint32_t)chain->programs[i], why))
            return -1;
    }
    return 0;
}

uint32_t chain_expected(const struct chain *chain)
{
    return chain->calls < TAIL_CALL_LIMIT ? (uint32_t)chain->calls : TAIL_CALL_LIMIT;
}

int chain_run(const struct chain *chain, uint32_t repeat, struct chain_result *result,
              struct refusal *why)
{
    static const uint8_t packet[PACKET_SIZE];
    struct bpf_test_run attributes;
    long done;

    memset(why, 0, sizeof(*why));
    do {
        memset(&attributes, 0, sizeof(attributes));
        attributes.program = (uint32_t)chain->programs[0];
        attributes.data_size_in = sizeof(packet);
        attributes.data_in = pointer(packet);
        attributes.repeat = repeat;
        done = bpf_call(BPF_PROG_TEST_RUN, &attributes, sizeof(attributes));
    } while (done == -EINTR || done == -EAGAIN);
    if (done < 0)
        return refuse(why, "BPF_PROG_TEST_RUN", done);
    result->returned = attributes.returned;
    result->mean = attributes.duration;
    if (result->returned != chain_expected(chain)) {
        snprintf(why->text, sizeof(why->text), "the chain made %u tail calls instead of %u",
                 result->returned, chain_expected(chain));
        return -1;
    }
    return 0;
}

int chain_histogram(const struct chain *chain, uint64_t counts[BUCKETS], struct refusal *why)
{
    memset(why, 0, sizeof(*why));
    for (uint32_t bucket = 0; bucket < BUCKETS; bucket++) {
        struct bpf_map_element attributes = {0};
        long done;

        attributes.map = (uint32_t)chain->histogram;
        attributes.key = pointer(&bucket);
        attributes.value = pointer(&counts[bucket]);
        done = bpf_call(BPF_MAP_LOOKUP, &attributes, sizeof(attributes));
        if (done < 0)
            return refuse(why, "reading the histogram", done);
    }
    return 0;
}

static long get_info(int program, struct bpf_prog_info *info)
{
    struct bpf_get_info attributes = {0};

    attributes.fd = (uint32_t)program;
    attributes.size = sizeof(*info);
    attributes.info = pointer(info);
    return bpf_call(BPF_OBJ_GET_INFO_BY_FD, &attributes, sizeof(attributes));
}

int chain_image(const struct chain *chain, int number, uint8_t *code, uint32_t room, uint32_t *size,
                uint64_t *address, struct refusal *why)
{
    struct bpf_prog_info info = {0};
    long done;

    memset(why, 0, sizeof(*why));
    *address = 0;
    info.jited = pointer(code);
    info.jited_size = room;
    info.jited_addresses = pointer(address);
    info.jited_address_count = 1;
    done = get_info(chain->programs[number], &info);
    if (done < 0)
        return refuse(why, "BPF_OBJ_GET_INFO_BY_FD", done);
    /* The kernel takes the pointer away when this user may not see the code. */
    *size = info.jited && info.jited_size <= room ? info.jited_size : 0;
    if (!info.jited_addresses)
        *address = 0;
    return 0;
}

int chain_compiled(const struct chain *chain)
{
    struct bpf_prog_info info = {0};

    return get_info(chain->programs[0], &info) >= 0 && info.jited_size > 0;
}
