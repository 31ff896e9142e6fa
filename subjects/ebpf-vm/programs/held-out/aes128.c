/* Encrypts 12 blocks with AES-128 (FIPS 197) in counter fashion, byte by byte with one table: the
 * S-box, which is computed first. Returns the xor of the blocks' 64-bit halves, rotated in between.
 * The memory holds the S-box, the round keys and the state. */
#include "../program.h"

enum { BLOCKS = 12 };

static inline __attribute__((always_inline)) u8 twice(u8 x)
{
    return x << 1 ^ (x >> 7) * 0x1b;
}

/* 3 generates the field: p runs over its powers while q runs over their inverses. */
static inline __attribute__((always_inline)) void make_box(u8 *box)
{
    u8 p = 1, q = 1;

    do {
        p ^= twice(p);
        q ^= q << 1;
        q ^= q << 2;
        q ^= q << 4;
        if (q & 0x80)
            q ^= 0x09;
        box[p] = 0x63 ^ q ^ (u8)(q << 1 | q >> 7) ^ (u8)(q << 2 | q >> 6) ^ (u8)(q << 3 | q >> 5) ^
                 (u8)(q << 4 | q >> 4);
    } while (p != 1);
    box[0] = 0x63;
}

static inline __attribute__((always_inline)) void expand(const u8 *box, u8 *keys)
{
    u8 constant = 1;

    for (u32 i = 0; i < 16; i++)
        keys[i] = i;
    for (u32 i = 16; i < 176; i += 4) {
        u8 a = keys[i - 4], b = keys[i - 3], c = keys[i - 2], d = keys[i - 1];

        if (i % 16 == 0) {
            u8 first = a;

            a = box[b] ^ constant, b = box[c], c = box[d], d = box[first];
            constant = twice(constant);
        }
        keys[i] = keys[i - 16] ^ a, keys[i + 1] = keys[i - 15] ^ b;
        keys[i + 2] = keys[i - 14] ^ c, keys[i + 3] = keys[i - 13] ^ d;
    }
}

static inline __attribute__((always_inline)) void encrypt(const u8 *box, const u8 *keys, u8 *state, u8 *moved)
{
    for (u32 i = 0; i < 16; i++)
        state[i] ^= keys[i];
    for (u32 round = 1; round <= 10; round++) {
        keys += 16;
        for (u32 i = 0; i < 16; i++)
            moved[i] = box[state[(i + 4 * (i & 3)) & 15]];
        for (u32 i = 0; i < 16; i += 4) {
            u8 a = moved[i], b = moved[i + 1], c = moved[i + 2], d = moved[i + 3];
            u8 all = a ^ b ^ c ^ d;

            if (round == 10) {
                state[i] = a, state[i + 1] = b, state[i + 2] = c, state[i + 3] = d;
            } else {
                state[i] = a ^ all ^ twice(a ^ b);
                state[i + 1] = b ^ all ^ twice(b ^ c);
                state[i + 2] = c ^ all ^ twice(c ^ d);
                state[i + 3] = d ^ all ^ twice(d ^ a);
            }
        }
        for (u32 i = 0; i < 16; i++)
            state[i] ^= keys[i];
    }
}

u64 aes128(u8 *memory, u64 length)
{
    u8 *box = memory, *keys = memory + 256, *state = keys + 176, *moved = state + 16;
    u64 *halves = (u64 *)state, sum = 0;

    make_box(box);
    expand(box, keys);
    for (u64 number = 0; number < BLOCKS; number++) {
        halves[0] = 0x7766554433221100ull + number;
        halves[1] = 0xffeeddccbbaa9988ull;
        encrypt(box, keys, state, moved);
        sum = (sum << 7 | sum >> 57) ^ halves[0];
        sum = (sum << 7 | sum >> 57) ^ halves[1];
    }
    return sum;
}
