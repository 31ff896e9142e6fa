/* Encodes 1000 pseudo-random bytes in base64 (RFC 4648), decodes the text again, with every
 * character checked, and compares. Returns the sum of the text's characters, each times its
 * position, or 0 when something is wrong. The memory holds the bytes, the text and both tables. */
#include "../program.h"

enum { BYTES = 1000, TEXT = (BYTES + 2) / 3 * 4 };

static inline __attribute__((always_inline)) void make_tables(u8 *letters, u8 *values)
{
    for (u32 i = 0; i < 26; i++) {
        letters[i] = 'A' + i;
        letters[26 + i] = 'a' + i;
    }
    for (u32 i = 0; i < 10; i++)
        letters[52 + i] = '0' + i;
    letters[62] = '+', letters[63] = '/';
    for (u32 i = 0; i < 256; i++)
        values[i] = 255;
    for (u32 i = 0; i < 64; i++)
        values[letters[i]] = i;
}

static inline __attribute__((always_inline)) void encode(const u8 *bytes, u8 *text, const u8 *letters)
{
    u32 at = 0;

    for (; at + 3 <= BYTES; at += 3, text += 4) {
        u32 group = bytes[at] << 16 | bytes[at + 1] << 8 | bytes[at + 2];

        text[0] = letters[group >> 18];
        text[1] = letters[group >> 12 & 63];
        text[2] = letters[group >> 6 & 63];
        text[3] = letters[group & 63];
    }
    if (at < BYTES) {
        u32 group = bytes[at] << 16 | (at + 1 < BYTES ? bytes[at + 1] << 8 : 0);

        text[0] = letters[group >> 18];
        text[1] = letters[group >> 12 & 63];
        text[2] = at + 1 < BYTES ? letters[group >> 6 & 63] : '=';
        text[3] = '=';
    }
}

/* The number of bytes, or -1. */
static inline __attribute__((always_inline)) int decode(const u8 *text, u8 *bytes, const u8 *values)
{
    int written = 0;

    for (u32 at = 0; at < TEXT; at += 4) {
        u32 group = 0, padding = 0;

        for (u32 i = 0; i < 4; i++) {
            u8 c = text[at + i], value = values[c];

            if (c == '=' && at + 4 == TEXT && i >= 2) {
                padding++;
                value = 0;
            } else if (value == 255 || padding) {
                return -1;
            }
            group = group << 6 | value;
        }
        bytes[written] = group >> 16;
        bytes[written + 1] = group >> 8;
        bytes[written + 2] = group;
        written += 3 - padding;
    }
    return written;
}

u64 base64(u8 *bytes, u64 length)
{
    u8 *text = bytes + 1024, *letters = text + 1536, *values = letters + 64, *again = values + 256;
    u32 random = 12;
    u64 sum = 0;

    for (u32 i = 0; i < BYTES; i++)
        bytes[i] = next_random(&random) >> 24;
    make_tables(letters, values);
    encode(bytes, text, letters);
    if (decode(text, again, values) != BYTES)
        return 0;
    for (u32 i = 0; i < BYTES; i++)
        if (bytes[i] != again[i])
            return 0;
    for (u64 i = 0; i < TEXT; i++)
        sum += text[i] * (i + 1);
    return sum;
}
