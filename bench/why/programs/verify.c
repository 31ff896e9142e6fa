/* Checks a file again and again. */
#include <stdio.h>

unsigned checksum(const unsigned char *data, unsigned length);

int main(void)
{
    static unsigned char data[1 << 16];
    unsigned sum = 0;
    for (unsigned i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 31);
    for (int round = 0; round < 200; round++) {
        data[round]++;
        sum ^= checksum(data, sizeof data);
    }
    printf("%x\n", sum);
    return 0;
}
