/* The CRC-32 of Ethernet and zip of 2048 pseudo-random bytes, with a table of 256 words, then the
 * Adler-32 of the same bytes: Adler << 32 | CRC. */
#include "../program.h"

enum { BYTES = 2048 };

u64 crc32(u8 *memory, u64 length)
{
    u32 *table = (u32 *)(memory + BYTES), random = 13, crc = 0xffffffff, a = 1, b = 0;

    for (u32 i = 0; i < BYTES; i++)
        memory[i] = next_random(&random) >> 24;
    for (u32 i = 0; i < 256; i++) {
        u32 entry = i;

        for (u32 bit = 0; bit < 8; bit++)
            entry = entry & 1 ? entry >> 1 ^ 0xedb88320 : entry >> 1;
        table[i] = entry;
    }
    for (u32 i = 0; i < BYTES; i++)
        crc = table[(crc ^ memory[i]) & 255] ^ crc >> 8;
    for (u32 i = 0; i < BYTES; i++) {
        a = (a + memory[i]) % 65521;
        b = (b + a) % 65521;
    }
    return (u64)(b << 16 | a) << 32 | (crc ^ 0xffffffff);
}
