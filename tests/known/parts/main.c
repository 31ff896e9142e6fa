/* A program of several objects with a known answer: nearly all of its work is done in hot.c, and
   nearly all of that is in a function that compilers inline, so that of all flags -fno-inline
   matters and of all objects hot.o does. */
#include <stdint.h>
#include <stdio.h>

uint64_t cold_one(uint64_t), cold_two(uint64_t), hot(uint64_t);

int main(void)
{
    printf("%llu\n", (unsigned long long)(cold_one(1) + cold_two(2) + hot(100000)));
    return 0;
}
