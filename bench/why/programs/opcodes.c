/* Runs byte codes over two accumulators. */
#include <stdio.h>

#ifndef LENGTH
#define LENGTH 96
#endif

static unsigned char code[LENGTH];

__attribute__((noinline)) unsigned long run(const unsigned char *at, int rounds)
{
    unsigned long x = 1, y = 0;
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < LENGTH; i++)
            switch (at[i]) {
            case 0: x += 1; y += 1; break;
            case 1: x ^= x << 2; y += 2; break;
            case 2: x -= 9; y += 3; break;
            case 3: x *= 3; y += 4; break;
            case 4: x ^= 21; y += 5; break;
            case 5: x += x >> 7; y += 6; break;
            case 6: x |= 4; y += 7; break;
            case 7: x -= x >> 3; y += 8; break;
            case 8: x ^= x >> 1; y += 9; break;
            case 9: x += 1000; y += 10; break;
            case 10: x = ~x; y += 11; break;
            case 11: x &= ~2ul; y += 12; break;
            case 12: x += x << 1; y += 13; break;
            case 13: x ^= 0xffff; y += 14; break;
            case 14: x -= 77; y += 15; break;
            case 15: x *= 7; y += 16; break;
            case 16: y ^= x + 5; break;
            case 17: y ^= x - 8; break;
            case 18: y ^= x & 11; break;
            case 19: y ^= x | 14; break;
            case 20: y ^= x + 17; break;
            case 21: y ^= x - 20; break;
            case 22: y ^= x & 23; break;
            case 23: y ^= x | 26; break;
            case 24: y ^= x + 29; break;
            case 25: y ^= x - 32; break;
            case 26: y ^= x & 35; break;
            case 27: y ^= x | 38; break;
            case 28: y ^= x + 41; break;
            case 29: y ^= x - 44; break;
            case 30: y ^= x & 47; break;
            case 31: y ^= x | 50; break;
            }
    return x + y;
}

int main(void)
{
    unsigned seed = 1;
    for (int i = 0; i < LENGTH; i++) {
        seed = seed * 1664525u + 1013904223u;
        code[i] = (unsigned char)(seed >> 27);
    }
    printf("%lu\n", run(code, 20000000 / LENGTH));
    return 0;
}
