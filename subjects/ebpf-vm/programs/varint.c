/* Writes 500 signed numbers in groups of seven bits, the sign in the lowest, and reads them again:
 * bytes << 32 | a sum over the numbers, or 0 when one has changed. */
#include "program.h"

enum { NUMBERS = 500 };

typedef long long s64;

static inline __attribute__((always_inline)) s64 make_number(u32 *random)
{
    u64 number = (u64)next_random(random) << 32 | next_random(random);

    return (s64)number >> (next_random(random) >> 26);
}

u64 varint(u8 *bytes, u64 length)
{
    u32 random = 24, at = 0;
    u64 sum = 0;

    for (u32 i = 0; i < NUMBERS; i++) {
        s64 number = make_number(&random);
        u64 left = (u64)number << 1 ^ (u64)(number >> 63);

        while (left >= 128) {
            bytes[at++] = left | 128;
            left >>= 7;
        }
        bytes[at++] = left;
    }
    random = 24;
    at = 0;
    for (u32 i = 0; i < NUMBERS; i++) {
        u64 number = 0;
        u32 by = 0;
        u8 byte;

        do {
            byte = bytes[at++];
            number |= (u64)(byte & 127) << by;
            by += 7;
        } while (byte & 128);
        number = number >> 1 ^ (0 - (number & 1));
        if ((s64)number != make_number(&random))
            return 0;
        sum = sum * 31 + number;
    }
    return (u64)at << 32 | (sum & 0xffffffff);
}
