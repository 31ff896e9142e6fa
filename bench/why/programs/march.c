/* Marches with the library of steps. */
#include <stdio.h>

unsigned long steps(unsigned long count);

int main(void)
{
    printf("%lu\n", steps(40000000));
    return 0;
}
