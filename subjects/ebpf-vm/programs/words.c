/* A made-up text of 2500 characters in lines: counts lines, words and letters, turns words into
 * title case, takes out spaces at line ends. Returns lines << 48 | words << 32 | a hash of the new
 * text. */
#include "program.h"

enum { TEXT = 2500 };

static inline __attribute__((always_inline)) u32 is_letter(u8 c)
{
    return (u8)((c | 32) - 'a') < 26;
}

u64 words(u8 *text, u64 length)
{
    u8 *out = text + 4096;
    u64 lines = 0, count = 0, hash = 0;
    u32 random = 33, written = 0, inside = 0;

    for (u32 i = 0; i < TEXT; i++) {
        u32 number = next_random(&random) >> 16, kind = number & 31;

        text[i] = kind == 0   ? '\n'
                  : kind < 6  ? ' '
                  : kind == 6 ? '.'
                  : kind < 12 ? 'A' + (number >> 5) % 26
                              : 'a' + (number >> 5) % 26;
    }
    for (u32 i = 0; i < TEXT; i++) {
        u8 c = text[i];

        if (is_letter(c)) {
            if (!inside)
                count++;
            c = inside ? c | 32 : c & ~32;
            inside = 1;
        } else {
            inside = 0;
            if (c == '\n') {
                lines++;
                while (written && out[written - 1] == ' ')
                    written--;
            }
        }
        out[written++] = c;
    }
    for (u32 i = 0; i < written; i++)
        hash = hash * 131 + out[i];
    return lines << 48 | count << 32 | (hash & 0xffffffff);
}
