/* Looks at one place of a table. */
#include <stdio.h>

extern int *places[];

int main(int argc, char **argv)
{
    (void)argv;
    unsigned x = (unsigned)*places[argc];
    for (int i = 0; i < 2000000; i++)
        x = x * 1664525u + 1013904223u;
    printf("%u\n", x & 1);
    return 0;
}
