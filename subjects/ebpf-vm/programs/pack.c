/* Packs 600 numbers of 12 bits tightly into bytes and unpacks them; writes 300 differences in as few
 * bits as the largest of a group of 20 needs, and reads them again. Returns bytes << 32 | a hash, or
 * 0 when a number has changed. */
#include "program.h"

enum { NUMBERS = 600, GROUPS = 15, GROUP = 20 };

u64 pack(u16 *numbers, u64 length)
{
    u8 *bytes = (u8 *)(numbers + NUMBERS);
    u32 random = 38, at = 0, from = 0;
    u64 hash = 0, held = 0;
    u32 holds = 0;

    for (u32 i = 0; i < NUMBERS; i++)
        numbers[i] = next_random(&random) >> 20 >> (i / 64);
    for (u32 i = 0; i < NUMBERS; i += 2) {
        u32 a = numbers[i], b = numbers[i + 1];

        bytes[at] = a;
        bytes[at + 1] = a >> 8 | b << 4;
        bytes[at + 2] = b >> 4;
        at += 3;
    }
    for (u32 i = 0; i < NUMBERS; i += 2, from += 3) {
        u32 a = bytes[from] | (bytes[from + 1] & 15) << 8, b = bytes[from + 1] >> 4 | bytes[from + 2] << 4;

        if (a != numbers[i] || b != numbers[i + 1])
            return 0;
        hash = hash * 31 + (a ^ b << 6);
    }
    from = at;
    for (u32 group = 0; group < GROUPS; group++) {
        const u16 *first = numbers + group * GROUP;
        u32 all = 0, width = 1;

        for (u32 i = 0; i < GROUP; i++)
            all |= first[i];
        while (all >> width)
            width++;
        held |= (u64)width << holds;
        holds += 4;
        for (u32 i = 0; i < GROUP; i++) {
            held |= (u64)first[i] << holds;
            holds += width;
            while (holds >= 8) {
                bytes[at++] = held;
                held >>= 8;
                holds -= 8;
            }
        }
    }
    bytes[at] = held;
    held = holds = 0;
    for (u32 group = 0; group < GROUPS; group++) {
        u32 width = 0;

        for (u32 i = 0; i <= GROUP; i++) {
            u32 needed = i ? width : 4, value;

            while (holds < needed) {
                held |= (u64)bytes[from++] << holds;
                holds += 8;
            }
            value = held & ((1u << needed) - 1);
            held >>= needed;
            holds -= needed;
            if (i == 0)
                width = value;
            else if (value != numbers[group * GROUP + i - 1])
                return 0;
            hash = hash * 5 + value;
        }
    }
    return (u64)at << 32 | (hash & 0xffffffff);
}
