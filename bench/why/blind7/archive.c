/* An archive of files: a head, the data packed by runs, and a checksum (CRC-32) of what was packed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 1 << 20, FILES = 110 };

static uint32_t table[8][256];

static void tables_made(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
        table[0][i] = c;
    }
    for (int k = 1; k < 8; k++)
        for (uint32_t i = 0; i < 256; i++)
            table[k][i] = table[0][table[k - 1][i] & 255] ^ table[k - 1][i] >> 8;
}

static uint32_t checksum(const unsigned char *data, size_t size)
{
    uint32_t c = 0xffffffffu;
#ifndef BYTES
    for (; size >= 8; size -= 8, data += 8) {
        uint32_t low, high;
        memcpy(&low, data, 4);
        memcpy(&high, data + 4, 4);
        low ^= c;
        c = table[7][low & 255] ^ table[6][low >> 8 & 255] ^ table[5][low >> 16 & 255] ^ table[4][low >> 24]
            ^ table[3][high & 255] ^ table[2][high >> 8 & 255] ^ table[1][high >> 16 & 255] ^ table[0][high >> 24];
    }
#endif
    while (size--)
        c = table[0][(c ^ *data++) & 255] ^ c >> 8;
    return ~c;
}

/* Runs of four and more are packed as the byte, four times, and how many more. */
static size_t packed(const unsigned char *data, size_t size, unsigned char *out)
{
    unsigned char *at = out;
    for (size_t i = 0; i < size;) {
        size_t run = 1;
        while (i + run < size && run < 255 && data[i + run] == data[i])
            run++;
        for (size_t k = 0; k < run && k < 4; k++)
            *at++ = data[i];
        if (run >= 4)
            *at++ = (unsigned char)(run - 4);
        i += run;
    }
    return at - out;
}

struct head {
    char name[100];
    uint32_t size, packed, check;
};

static void head_made(struct head *h, int number, size_t size, size_t small, uint32_t check)
{
    memset(h, 0, sizeof *h);
    snprintf(h->name, sizeof h->name, "backup/2024/%04d.img", number);
    h->size = size;
    h->packed = small;
    h->check = check;
}

static void filled(unsigned char *data, size_t size, uint32_t seed)
{
    for (size_t i = 0; i < size;) {
        seed = seed * 1664525 + 1013904223;
        size_t run = 1 + (seed >> 28) * (seed >> 27 & 1) * 12;
        for (size_t k = 0; k < run && i < size; k++)
            data[i++] = seed >> 16;
    }
}

int main(void)
{
    unsigned char *data = malloc(SIZE), *out = malloc(SIZE * 2);
    tables_made();
    filled(data, SIZE, 9);
    uint64_t total = 0, digest = 0;
    for (int file = 0; file < FILES; file++) {
        data[file * 1000] ^= 1;
        size_t size = SIZE - file * 512;
        uint32_t check = checksum(data, size);
        size_t small = file % 4 ? size : packed(data, size, out);
        struct head h;
        head_made(&h, file, size, small, check);
        digest = digest * 31 + checksum((unsigned char *)&h, sizeof h);
        total += small;
    }
    printf("%llu bytes, %016llx\n", (unsigned long long)total, (unsigned long long)digest);
    free(data);
    free(out);
    return 0;
}
