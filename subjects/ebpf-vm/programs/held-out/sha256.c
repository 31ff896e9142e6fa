/* SHA-256 (FIPS 180-4) of 1000 pseudo-random bytes; returns the first 64 bits of the digest. The
 * memory holds the message with its padding, the round constants, the schedule and the digest. */
#include "../program.h"

enum { MESSAGE = 1000, PADDED = 1024 };

#define ROTATE(x, by) ((x) >> (by) | (x) << (32 - (by)))
#define FOUR(at, a, b, c, d) (k[at] = a, k[at + 1] = b, k[at + 2] = c, k[at + 3] = d)

/* The fractional parts of the cube roots of the first 64 primes. */
static inline __attribute__((always_inline)) void set_constants(u32 *k)
{
    FOUR(0, 0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5);
    FOUR(4, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5);
    FOUR(8, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3);
    FOUR(12, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174);
    FOUR(16, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc);
    FOUR(20, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da);
    FOUR(24, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7);
    FOUR(28, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967);
    FOUR(32, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13);
    FOUR(36, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85);
    FOUR(40, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3);
    FOUR(44, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070);
    FOUR(48, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5);
    FOUR(52, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3);
    FOUR(56, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208);
    FOUR(60, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2);
}

static inline __attribute__((always_inline)) void compress(const u8 *block, const u32 *k, u32 *w,
                                                           u32 *digest)
{
    u32 a = digest[0], b = digest[1], c = digest[2], d = digest[3];
    u32 e = digest[4], f = digest[5], g = digest[6], h = digest[7];

    for (u32 i = 0; i < 16; i++)
        w[i] = __builtin_bswap32(*(const u32 *)(block + 4 * i));
    for (u32 i = 16; i < 64; i++) {
        u32 low = w[i - 15], high = w[i - 2];

        w[i] = w[i - 16] + w[i - 7] + (ROTATE(low, 7) ^ ROTATE(low, 18) ^ low >> 3) +
               (ROTATE(high, 17) ^ ROTATE(high, 19) ^ high >> 10);
    }
    for (u32 i = 0; i < 64; i++) {
        u32 one = h + (ROTATE(e, 6) ^ ROTATE(e, 11) ^ ROTATE(e, 25)) + ((e & f) ^ (~e & g)) + k[i] +
                  w[i];
        u32 two = (ROTATE(a, 2) ^ ROTATE(a, 13) ^ ROTATE(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));

        h = g, g = f, f = e, e = d + one;
        d = c, c = b, b = a, a = one + two;
    }
    digest[0] += a, digest[1] += b, digest[2] += c, digest[3] += d;
    digest[4] += e, digest[5] += f, digest[6] += g, digest[7] += h;
}

u64 sha256(u8 *memory, u64 length)
{
    u32 *k = (u32 *)(memory + PADDED), *w = k + 64, *digest = w + 64, random = 7;

    for (u32 i = 0; i < MESSAGE; i++)
        memory[i] = next_random(&random) >> 24;
    memory[MESSAGE] = 0x80;
    for (u32 i = MESSAGE + 1; i < PADDED; i++)
        memory[i] = 0;
    memory[PADDED - 2] = MESSAGE * 8 >> 8;
    memory[PADDED - 1] = MESSAGE * 8 & 255;
    set_constants(k);
    digest[0] = 0x6a09e667, digest[1] = 0xbb67ae85, digest[2] = 0x3c6ef372, digest[3] = 0xa54ff53a;
    digest[4] = 0x510e527f, digest[5] = 0x9b05688c, digest[6] = 0x1f83d9ab, digest[7] = 0x5be0cd19;
    for (u32 at = 0; at < PADDED; at += 64)
        compress(memory + at, k, w, digest);
    return (u64)digest[0] << 32 | digest[1];
}
