#define _GNU_SOURCE
#include "kernel.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_bpf
#if defined(__x86_64__)
#define SYS_bpf 321
#elif defined(__aarch64__) || defined(__riscv)
#define SYS_bpf 280
#else
#error "the number of the bpf system call on this architecture is not known"
#endif
#endif

long bpf_call(enum bpf_command command, void *attributes, uint32_t size)
{
    const long result = syscall(SYS_bpf, (long)command, attributes, size);

    return result < 0 ? -(long)errno : result;
}
