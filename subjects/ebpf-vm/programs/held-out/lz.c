/* Compresses 1500 bytes of a made-up log to sequences of literals and matches, each a token of two
 * lengths of four bits, as in LZ4, with further bytes for what is longer; decompresses them with all
 * bounds checked, and compares. Returns the compressed length << 32 | the sum of its bytes, each
 * times its position, or 0 when something is wrong. */
#include "../program.h"

enum { TEXT = 1500, SHORTEST = 4, SLOTS = 256, ROOM = 4096 };

static inline __attribute__((always_inline)) u32 load32(const u8 *at)
{
    return at[0] | at[1] << 8 | at[2] << 16 | (u32)at[3] << 24;
}

static inline __attribute__((always_inline)) void make_text(u8 *text)
{
    u32 random = 16, at = 0;

    while (at < TEXT) {
        u32 number = next_random(&random), kind = number >> 30, length = 5 + (number >> 20 & 15);

        for (u32 i = 0; i < length && at < TEXT; i++, at++)
            text[at] = i == 0 ? ' ' : kind == 3 ? number >> i : 'a' + kind * 7 + i * (kind + 1) % 11;
    }
}

static inline __attribute__((always_inline)) u8 *put_length(u8 *out, u32 length)
{
    if (length < 15)
        return out;
    for (length -= 15; length >= 255; length -= 255)
        *out++ = 255;
    *out++ = length;
    return out;
}

static inline __attribute__((always_inline)) u32 compress(const u8 *text, u8 *out, u16 *seen)
{
    const u8 *start = out;
    u32 at = 0, from = 0;

    for (u32 i = 0; i < SLOTS; i++)
        seen[i] = 0xffff;
    while (at < TEXT) {
        u32 match = 0, distance = 0, literals;

        if (at + SHORTEST <= TEXT) {
            u32 word = load32(text + at), slot = word * 2654435761u >> 24, before = seen[slot];

            seen[slot] = at;
            if (before != 0xffff && load32(text + before) == word) {
                match = SHORTEST;
                distance = at - before;
                while (at + match < TEXT && text[before + match] == text[at + match])
                    match++;
            }
        }
        if (!match && ++at < TEXT)
            continue;
        literals = at - from;
        *out++ = (literals < 15 ? literals : 15) << 4 |
                 (!match ? 0 : match - SHORTEST < 15 ? match - SHORTEST : 15);
        out = put_length(out, literals);
        for (u32 i = 0; i < literals; i++)
            *out++ = text[from + i];
        if (match) {
            *out++ = distance;
            *out++ = distance >> 8;
            out = put_length(out, match - SHORTEST);
            at += match;
        }
        from = at;
    }
    return out - start;
}

/* The length, or 0. */
static inline __attribute__((always_inline)) u32 decompress(const u8 *in, u32 size, u8 *out, u32 room)
{
    u32 at = 0, written = 0;

    while (at < size) {
        u32 token = in[at++], literals = token >> 4, match = token & 15, distance, more;

        if (literals == 15)
            do {
                if (at == size)
                    return 0;
                more = in[at++];
                literals += more;
            } while (more == 255);
        if (literals > size - at || literals > room - written)
            return 0;
        for (u32 i = 0; i < literals; i++)
            out[written + i] = in[at + i];
        at += literals;
        written += literals;
        if (at == size)
            break;
        if (size - at < 2)
            return 0;
        distance = in[at] | in[at + 1] << 8;
        at += 2;
        if (match == 15)
            do {
                if (at == size)
                    return 0;
                more = in[at++];
                match += more;
            } while (more == 255);
        match += SHORTEST;
        if (distance == 0 || distance > written || match > room - written)
            return 0;
        for (u32 i = 0; i < match; i++)
            out[written + i] = out[written + i - distance];
        written += match;
    }
    return written;
}

u64 lz(u8 *text, u64 length)
{
    u8 *packed = text + ROOM, *again = packed + ROOM;
    u64 sum = 0;
    u32 size;

    make_text(text);
    size = compress(text, packed, (u16 *)(again + ROOM));
    for (u32 round = 0; round < 4; round++)
        if (decompress(packed, size, again, TEXT) != TEXT)
            return 0;
    for (u32 i = 0; i < TEXT; i++)
        if (text[i] != again[i])
            return 0;
    for (u64 i = 0; i < size; i++)
        sum += packed[i] * (i + 1);
    return (u64)size << 32 | sum;
}
