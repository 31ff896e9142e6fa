/* Makes short labels for parts. */
#include <stdio.h>

__attribute__((noinline)) unsigned label(char *into, unsigned part, unsigned shelf)
{
    char text[1024];
    int used = 0;
    do
        text[used++] = (char)('0' + part % 10);
    while (part /= 10);
    text[used++] = '-';
    text[used++] = (char)('a' + shelf % 26);
    for (int i = 0; i < used; i++)
        into[i] = text[used - 1 - i];
    into[used] = 0;
    return (unsigned)used;
}

int main(void)
{
    char line[64];
    unsigned long sum = 0;
    for (unsigned i = 0; i < 6000000; i++)
        sum += label(line, i % 500, i) + (unsigned char)line[1];
    printf("%lu\n", sum);
    return 0;
}
