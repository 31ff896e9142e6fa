/* Writes numbers in a base: digits, signs, padding, separators. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef ANYBASE
#define BASE base
#else
#define BASE 10
#endif

static const char digits[] = "0123456789abcdef";

static char *write_number(char *end, int64_t number, unsigned base)
{
    uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
    (void)base;
    do {
        *--end = digits[rest % BASE];
        rest /= BASE;
    } while (rest);
    if (number < 0)
        *--end = '-';
    return end;
}

int main(int argc, char **argv)
{
    unsigned base = argc > 1 ? atoi(argv[1]) : 10;
    uint64_t state = 88172645463325252u, sum = 0;
    for (int i = 0; i < 4000000; i++) {
        char room[72];
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char *at = write_number(room + sizeof room, (int64_t)state, base);
        for (; at < room + sizeof room; at += 4)
            sum = sum * 31 + (unsigned char)*at;
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
