/* Keeps the values below a limit. */
#include <stdio.h>

enum { VALUES = 50000, ROUNDS = 800 };

static unsigned char values[VALUES];
static unsigned char kept[VALUES + 1];

__attribute__((noinline)) int pick(int limit)
{
    int count = 0;
    for (int i = 0; i < VALUES; i++) {
#ifdef ALWAYS
        kept[count] = values[i];
        count += values[i] < limit;
#else
        if (values[i] < limit)
            kept[count++] = values[i];
#endif
    }
    return count;
}

int main(void)
{
    unsigned seed = 7;
    for (int i = 0; i < VALUES; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (unsigned char)(seed >> 24);
    }
    long sum = 0;
    for (int round = 0; round < ROUNDS; round++)
        sum += pick(100 + round % 50);
    printf("%ld %d\n", sum, kept[5]);
    return 0;
}
