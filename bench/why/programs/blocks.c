/* Takes and gives back blocks of memory of many sizes. */
#include <stdio.h>
#include <stdlib.h>

#ifndef LIMIT
#define LIMIT 900
#endif

__attribute__((noinline)) unsigned long churn(unsigned count)
{
    static unsigned char *kept[8];
    unsigned long sum = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned char **block = &kept[i % 8];
        free(*block);
        *block = malloc(16 + i % LIMIT);
        **block = (unsigned char)i;
        sum += *kept[i / 9 % (i < 8 ? 1 : 8)];
    }
    return sum;
}

int main(void)
{
    printf("%lu\n", churn(5000000));
    return 0;
}
