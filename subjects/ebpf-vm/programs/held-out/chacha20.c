/* Encrypts 1 KiB of counting bytes with ChaCha20 (RFC 8439, its test key and nonce) and returns the
 * sum of the 64-bit words of what comes out, each times its position. The memory holds the text,
 * then the state. */
#include "../program.h"

enum { TEXT = 1024 };

#define ROTATE(x, by) ((x) << (by) | (x) >> (32 - (by)))
#define QUARTER(a, b, c, d)                                                                        \
    do {                                                                                           \
        a += b, d = ROTATE(d ^ a, 16);                                                             \
        c += d, b = ROTATE(b ^ c, 12);                                                             \
        a += b, d = ROTATE(d ^ a, 8);                                                              \
        c += d, b = ROTATE(b ^ c, 7);                                                              \
    } while (0)

static inline __attribute__((always_inline)) void block(const u32 *state, u32 *x)
{
    for (u32 i = 0; i < 16; i++)
        x[i] = state[i];
    for (u32 round = 0; round < 10; round++) {
        QUARTER(x[0], x[4], x[8], x[12]);
        QUARTER(x[1], x[5], x[9], x[13]);
        QUARTER(x[2], x[6], x[10], x[14]);
        QUARTER(x[3], x[7], x[11], x[15]);
        QUARTER(x[0], x[5], x[10], x[15]);
        QUARTER(x[1], x[6], x[11], x[12]);
        QUARTER(x[2], x[7], x[8], x[13]);
        QUARTER(x[3], x[4], x[9], x[14]);
    }
    for (u32 i = 0; i < 16; i++)
        x[i] += state[i];
}

u64 chacha20(u8 *memory, u64 length)
{
    u32 *state = (u32 *)(memory + TEXT), x[16];
    u64 sum = 0;

    for (u32 i = 0; i < TEXT; i++)
        memory[i] = i;
    state[0] = 0x61707865, state[1] = 0x3320646e, state[2] = 0x79622d32, state[3] = 0x6b206574;
    for (u32 i = 0; i < 8; i++)
        state[4 + i] = 0x03020100 + i * 0x04040404;
    state[12] = 1, state[13] = 0x09000000, state[14] = 0x4a000000, state[15] = 0;
    for (u32 at = 0; at < TEXT; at += 64) {
        block(state, x);
        for (u32 i = 0; i < 16; i++)
            *(u32 *)(memory + at + 4 * i) ^= x[i];
        state[12]++;
    }
    for (u64 i = 0; i < TEXT / 8; i++)
        sum += ((u64 *)memory)[i] * (i + 1);
    return sum;
}
