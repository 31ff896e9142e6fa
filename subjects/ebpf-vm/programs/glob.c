/* Matches 60 made-up names against 12 made-up patterns with ?, * and classes, with a way back to the
 * last star only: matches << 32 | characters compared. */
#include "program.h"

enum { NAMES = 60, PATTERNS = 12, NAME = 12, PATTERN = 10 };

static inline __attribute__((always_inline)) u32 matches(const u8 *name, const u8 *pattern, u64 *compared)
{
    const u8 *star = 0, *from = 0;

    while (*name) {
        u32 fits = 0, by = 1;

        ++*compared;
        if (*pattern == '[') {
            u32 negated = pattern[1] == '!';

            fits = (*name >= pattern[1 + negated] && *name <= pattern[2 + negated]) != negated;
            by = 4 + negated;
        } else {
            fits = *pattern == '?' || *pattern == *name;
        }
        if (*pattern == '*') {
            star = ++pattern;
            from = name;
        } else if (fits) {
            pattern += by;
            name++;
        } else if (star) {
            pattern = star;
            name = ++from;
        } else {
            return 0;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

u64 glob(u8 *names, u64 length)
{
    u8 *patterns = names + NAMES * NAME;
    u64 found = 0, compared = 0;
    u32 random = 31;

    for (u32 i = 0; i < NAMES; i++) {
        u32 size = 3 + (next_random(&random) >> 16) % 8;

        for (u32 j = 0; j < NAME; j++)
            names[i * NAME + j] = j < size ? 'a' + (next_random(&random) >> 16) % 4 : 0;
    }
    for (u32 i = 0; i < PATTERNS; i++) {
        u8 *at = patterns + i * 32;

        for (u32 j = 0; j < 3 + i % 4; j++) {
            u32 kind = (next_random(&random) >> 16) % 6;

            if (kind == 0) {
                *at++ = '*';
            } else if (kind == 1) {
                *at++ = '?';
            } else if (kind == 2) {
                *at++ = '[';
                if (i & 1)
                    *at++ = '!';
                *at++ = 'b';
                *at++ = 'c';
                *at++ = ']';
            } else {
                *at++ = 'a' + kind - 3;
            }
        }
        if (i % 3)
            *at++ = '*';
        *at = 0;
    }
    for (u32 i = 0; i < NAMES; i++)
        for (u32 j = 0; j < PATTERNS; j++)
            found += matches(names + i * NAME, patterns + j * 32, &compared);
    return found << 32 | compared;
}
