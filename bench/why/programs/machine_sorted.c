/* Runs a small program of a stack machine. */
#include <stdio.h>

typedef unsigned long (*operation)(unsigned long);

static operation program[64];

int main(void);
unsigned long run(unsigned long x, int rounds);

static unsigned long twist(unsigned long x) { return x * 5 + 1; }
static unsigned long half(unsigned long x) { return x >> 1; }
static unsigned long turn(unsigned long x) { return x ^ (x << 3); }
static unsigned long add(unsigned long x) { return x + 7; }

int main(void)
{
    static const operation all[] = {add, turn, half, twist};
    for (int i = 0; i < 64; i++)
        program[i] = all[i * 7 % 11 % 4];
    printf("%lu\n", run(1, 300000));
    return 0;
}

__attribute__((noinline)) unsigned long run(unsigned long x, int rounds)
{
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < 64; i++)
            x = program[i](x);
    return x;
}
