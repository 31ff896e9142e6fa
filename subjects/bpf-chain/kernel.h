/* The bpf() system call: the few commands and structures that a chain of tail calls needs.
 *
 * Written out here because the headers of an old system lack some of them, and because the program
 * must be the same on every kernel. The layouts are ABI (include/uapi/linux/bpf.h in Linux); a
 * kernel accepts a structure that is longer than its own when the rest is zero. */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdint.h>

enum bpf_command {
    BPF_MAP_CREATE = 0,
    BPF_MAP_LOOKUP = 1,
    BPF_MAP_UPDATE = 2,
    BPF_PROG_LOAD = 5,
    BPF_PROG_TEST_RUN = 10,
    BPF_OBJ_GET_INFO_BY_FD = 15,
};

enum bpf_map_kind { MAP_ARRAY = 2, MAP_PROG_ARRAY = 3 };

/* Traffic classifiers: BPF_PROG_TEST_RUN knows them since Linux 4.12. */
enum bpf_program_kind { PROGRAM_SCHED_CLS = 3 };

struct bpf_map_create {
    uint32_t kind, key_size, value_size, entries, flags;
};

struct bpf_map_element {
    uint32_t map, padding;
    uint64_t key, value, flags;
};

struct bpf_prog_load {
    uint32_t kind, count;
    uint64_t instructions, license;
    uint32_t log_level, log_size;
    uint64_t log;
};

struct bpf_test_run {
    uint32_t program, returned, data_size_in, data_size_out;
    uint64_t data_in, data_out;
    uint32_t repeat, duration; /* duration: ns of one run on average, rounded down */
};

struct bpf_get_info {
    uint32_t fd, size;
    uint64_t info;
};

struct bpf_prog_info {
    uint32_t kind, id;
    uint8_t tag[8];
    uint32_t jited_size, translated_size;
    uint64_t jited, translated;
    uint64_t load_time;
    uint32_t user, map_count;
    uint64_t maps;
    char name[16];
    uint32_t interface, flags;
    uint64_t netns_device, netns_inode;
    uint32_t jited_address_count, jited_length_count;
    uint64_t jited_addresses, jited_lengths;
};

/* The bare system call: a non-negative result, or -errno. A file of its own (kernel.c), so that
 * tests can link another that fails. */
long bpf_call(enum bpf_command command, void *attributes, uint32_t size);

#endif
