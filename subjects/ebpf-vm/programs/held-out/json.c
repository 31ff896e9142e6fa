/* Writes a JSON text of 50 made-up records and takes it apart again: strings with escapes, numbers
 * with signs, fractions and exponents, true, false, null, and nesting, which a bitmap keeps track
 * of. Returns errors << 60 | tokens << 40 | deepest << 32 | a sum over strings and numbers. */
#include "../program.h"

enum { RECORDS = 50 };

#define PUT2(a, b) (*at++ = (a), *at++ = (b))
#define PUT4(a, b, c, d) (PUT2(a, b), PUT2(c, d))
#define QUOTED(letter) (PUT4(',', ' ', '"', letter), PUT2('"', ':'))

static inline __attribute__((always_inline)) u8 *write_number(u8 *at, u32 number)
{
    u32 power = 1;

    while (number / power >= 10)
        power *= 10;
    for (; power; power /= 10)
        *at++ = '0' + number / power % 10;
    return at;
}

static inline __attribute__((always_inline)) u8 *write_record(u8 *at, u32 i, u32 number)
{
    u32 depth = number >> 16 & 3;

    PUT4('{', '"', 'i', '"');
    PUT2(' ', ':');
    at = write_number(at, number >> 12);
    QUOTED('n');
    *at++ = '"';
    for (u32 j = 0; j < (number & 15); j++)
        *at++ = 'a' + (number >> j & 15);
    if (i % 4 == 0) {
        PUT4('\\', 'n', '\\', 'u');
        PUT4('4', 'E', '0', 'f');
    }
    *at++ = '"';
    QUOTED('x');
    if (number & 0x100)
        *at++ = '-';
    at = write_number(at, number >> 4 & 0xff);
    *at++ = '.';
    at = write_number(at, number >> 22);
    if (number & 0x200)
        PUT4('e', '-', '1', '2');
    QUOTED('t');
    PUT2('\n', '[');
    if (number & 0x400)
        PUT4('t', 'r', 'u', 'e');
    else
        PUT4('n', 'u', 'l', 'l');
    for (u32 j = 0; j < depth; j++)
        PUT2(',', '[');
    PUT4('f', 'a', 'l', 's');
    *at++ = 'e';
    for (u32 j = 0; j <= depth; j++)
        *at++ = ']';
    *at++ = '}';
    return at;
}

static inline __attribute__((always_inline)) u32 is_digit(u8 c)
{
    return c >= '0' && c <= '9';
}

static inline __attribute__((always_inline)) u32 is_hexadecimal(u8 c)
{
    return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f');
}

/* Each returns where the token ends, or 0. */
static inline __attribute__((always_inline)) const u8 *read_string(const u8 *at, const u8 *end, u32 *sum)
{
    while (at < end) {
        u8 c = *at++;

        if (c == '"')
            return at;
        if (c < 32)
            return 0;
        if (c == '\\') {
            if (at == end)
                return 0;
            c = *at++;
            if (c == 'u') {
                if (end - at < 4)
                    return 0;
                for (u32 i = 0; i < 4; i++)
                    if (!is_hexadecimal(at[i]))
                        return 0;
                at += 4;
            } else if (c != 'n' && c != 't' && c != 'r' && c != 'b' && c != 'f' && c != '"' &&
                       c != '\\' && c != '/') {
                return 0;
            }
        }
        *sum = *sum * 33 + c;
    }
    return 0;
}

static inline __attribute__((always_inline)) const u8 *read_number(const u8 *at, const u8 *end, u32 *sum)
{
    u32 negative = *at == '-', value = 0, digits = 0;

    at += negative;
    for (; at < end && is_digit(*at); at++, digits++)
        value = value * 10 + (*at - '0');
    if (!digits)
        return 0;
    if (at < end && *at == '.') {
        at++;
        for (digits = 0; at < end && is_digit(*at); at++, digits++)
            value = value * 10 + (*at - '0');
        if (!digits)
            return 0;
    }
    if (at < end && (*at | 32) == 'e') {
        at++;
        if (at < end && (*at == '+' || *at == '-'))
            at++;
        for (digits = 0; at < end && is_digit(*at); at++, digits++)
            value += *at - '0';
        if (!digits)
            return 0;
    }
    *sum += negative ? 0 - value : value;
    return at;
}

static inline __attribute__((always_inline)) const u8 *read_word(const u8 *at, const u8 *end)
{
    if (end - at < 5)
        return 0;
    if (at[0] == 't' && at[1] == 'r' && at[2] == 'u' && at[3] == 'e')
        return at + 4;
    if (at[0] == 'n' && at[1] == 'u' && at[2] == 'l' && at[3] == 'l')
        return at + 4;
    if (at[0] == 'f' && at[1] == 'a' && at[2] == 'l' && at[3] == 's' && at[4] == 'e')
        return at + 5;
    return 0;
}

u64 json(u8 *memory, u64 length)
{
    u64 errors = 0, tokens = 0, kinds = 0;
    u32 random = 15, depth = 0, deepest = 0, sum = 0;
    u8 *at = memory;
    const u8 *from = memory, *end;

    *at++ = '[';
    for (u32 i = 0; i < RECORDS; i++) {
        if (i)
            *at++ = ',';
        at = write_record(at, i, next_random(&random));
    }
    *at++ = ']';
    end = at;
    while (from < end) {
        u8 c = *from;
        const u8 *next = from + 1;

        if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
            from = next;
            continue;
        }
        if (c == '{' || c == '[') {
            kinds = kinds << 1 | (c == '{');
            depth++;
            deepest = depth > deepest ? depth : deepest;
        } else if (c == '}' || c == ']') {
            if (depth == 0 || (kinds & 1) != (c == '}')) {
                next = 0;
            } else {
                kinds >>= 1;
                depth--;
            }
        } else if (c == '"') {
            next = read_string(next, end, &sum);
        } else if (c == '-' || is_digit(c)) {
            next = read_number(from, end, &sum);
        } else if (c != ':' && c != ',') {
            next = read_word(from, end);
        }
        if (!next) {
            errors++;
            break;
        }
        tokens++;
        from = next;
    }
    errors += depth;
    return errors << 60 | tokens << 40 | (u64)deepest << 32 | sum;
}
