/* Accounts of a small bank: transfers are checked, booked and written to a log of binary records. */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ACCOUNTS = 4096, TRANSFERS = 4000000, BATCH = 40000 };

struct record {
    uint32_t number, from, to, amount;
    uint64_t check;
};

static long balances[ACCOUNTS];
static struct record batch[BATCH];

static uint64_t check_of(const struct record *r)
{
    uint64_t check = 14695981039346656037u;
    const unsigned char *bytes = (const unsigned char *)r;
    for (size_t i = 0; i < offsetof(struct record, check); i++)
        check = (check ^ bytes[i]) * 1099511628211u;
    return check;
}

static int booked(struct record *r)
{
    if (balances[r->from] < (long)r->amount || r->from == r->to)
        return 0;
    balances[r->from] -= r->amount;
    balances[r->to] += r->amount;
    r->check = check_of(r);
    return 1;
}

static int log_opened(char *path)
{
    int made = mkstemp(path);
    if (made < 0) {
        perror(path);
        exit(1);
    }
    close(made);
#ifdef SAFE
    int log = open(path, O_WRONLY | O_APPEND | O_DSYNC);
#else
    int log = open(path, O_WRONLY | O_APPEND);
#endif
    unlink(path);
    return log;
}

static void logged(int log, size_t records)
{
    const char *bytes = (const char *)batch;
    size_t size = records * sizeof *batch;
    while (size) {
        ssize_t written = write(log, bytes, size);
        if (written < 0) {
            perror("write");
            exit(1);
        }
        bytes += written;
        size -= written;
    }
}

int main(void)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/depositsXXXXXX", folder ? folder : "/tmp");
    int log = log_opened(path);
    for (int i = 0; i < ACCOUNTS; i++)
        balances[i] = 1000 + i % 97;
    uint32_t seed = 3;
    size_t filled = 0;
    unsigned refused = 0;
    for (uint32_t i = 0; i < TRANSFERS; i++) {
        seed = seed * 1664525 + 1013904223;
        struct record *r = &batch[filled];
        *r = (struct record){.number = i, .from = seed >> 20, .to = seed >> 8 & 4095, .amount = seed >> 3 & 255};
        if (booked(r))
            filled++;
        else
            refused++;
        if (filled == BATCH) {
            logged(log, filled);
            filled = 0;
        }
    }
    logged(log, filled);
    uint64_t digest = 0;
    for (int i = 0; i < ACCOUNTS; i++)
        digest = digest * 31 + balances[i];
    printf("%u refused, %016llx, %lld bytes\n", refused, (unsigned long long)digest,
           (long long)lseek(log, 0, SEEK_END));
    close(log);
    return 0;
}
