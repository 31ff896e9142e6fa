/* Packs fields of records into small buffers. */
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) unsigned pack(char *into, unsigned a, unsigned b)
{
    char part[8];
    part[0] = (char)a;
    part[1] = (char)b;
    part[2] = (char)(a >> 8);
    part[3] = (char)(b >> 8);
    memcpy(into, part, 4);
    return (unsigned)into[0] + (unsigned)into[3];
}

int main(void)
{
    static char buffer[4096];
    unsigned long sum = 0;
    for (unsigned i = 0; i < 60000000; i++)
        sum += pack(buffer + i % 4000, i, i * 3);
    printf("%lu\n", sum);
    return 0;
}
