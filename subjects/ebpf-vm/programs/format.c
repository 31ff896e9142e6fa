/* Writes 250 numbers as text, in decimal, octal and hexadecimal, signed and padded, and reads them
 * again: characters << 32 | a sum over them, or 0 when a number has changed. */
#include "program.h"

enum { NUMBERS = 250 };

static inline __attribute__((always_inline)) u8 *write(u8 *at, u32 number, u32 base, u32 width)
{
    u32 digits = 0, left = number;
    u8 *end;

    do {
        digits++;
        left /= base;
    } while (left);
    while (digits < width) {
        *at++ = ' ';
        width--;
    }
    end = at + digits;
    for (u8 *digit = end; digit > at; number /= base) {
        u32 value = number % base;

        *--digit = value < 10 ? '0' + value : 'a' + value - 10;
    }
    return end;
}

u64 format(u8 *text, u64 length)
{
    u32 random = 27;
    u8 *at = text;
    u64 sum = 0;

    for (u32 i = 0; i < NUMBERS; i++) {
        u32 number = next_random(&random) >> (i & 31), base = i % 3 == 0 ? 10 : i % 3 == 1 ? 16 : 8;

        if (i & 4)
            *at++ = '-';
        at = write(at, number, base, i % 13);
        *at++ = '\n';
    }
    random = 27;
    at = text;
    for (u32 i = 0; i < NUMBERS; i++) {
        u32 number = next_random(&random) >> (i & 31), base = i % 3 == 0 ? 10 : i % 3 == 1 ? 16 : 8;
        u32 value = 0, negative = 0;

        if (*at == '-') {
            negative = 1;
            at++;
        }
        while (*at == ' ')
            at++;
        for (; *at != '\n'; at++)
            value = value * base + (*at <= '9' ? *at - '0' : *at - 'a' + 10);
        at++;
        if (value != number || negative != (i >> 2 & 1))
            return 0;
        sum = sum * 3 + (negative ? 0 - value : value);
    }
    return (u64)(at - text) << 32 | (sum & 0xffffffff);
}
