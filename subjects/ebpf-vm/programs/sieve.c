/* Eratosthenes over the memory, a byte for each number: count of primes << 32 | largest. */
#include "program.h"

u64 sieve(u8 *composite, u64 length)
{
    u64 count = 0, largest = 0;

    for (u64 n = 2; n < length; n++) {
        if (composite[n])
            continue;
        count++;
        largest = n;
        for (u64 multiple = n * n; multiple < length; multiple += n)
            composite[multiple] = 1;
    }
    return count << 32 | largest;
}
