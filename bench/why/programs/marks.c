/* Counts the different bytes of short messages. */
#include <stdio.h>
#include <string.h>

#ifndef TABLE
#define TABLE 256
#endif

__attribute__((noinline)) int different(const unsigned char *message, int length)
{
    unsigned char seen[TABLE];
    memset(seen, 0, sizeof seen);
    int count = 0;
    for (int i = 0; i < length; i++) {
        count += !seen[message[i]];
        seen[message[i]] = 1;
    }
    return count;
}

int main(void)
{
    unsigned char message[64];
    long sum = 0;
    for (unsigned i = 0; i < 64; i++)
        message[i] = (unsigned char)(i * i);
    for (unsigned i = 0; i < 1500000; i++) {
        message[i % 64]++;
        sum += different(message + i % 40, 20);
    }
    printf("%ld\n", sum);
    return 0;
}
