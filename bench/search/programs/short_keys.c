// Hashes short keys of changing length with XXH64, header only, as docs/studies/search.md does.
// Built in a checkout of xxHash: cc -O2 -I. -o short_keys short_keys.c; its argument is the number
// of keys. Prints the hash, so that no call can be left out.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include "xxhash.h"

enum { BYTES = 4096, SHORTEST = 3, LENGTHS = 29 };

int main(int argc, char **argv)
{
    static unsigned char keys[BYTES];
    long count = argc > 1 ? atol(argv[1]) : 20000;
    uint64_t random = 1, hash = 0;
    for (int i = 0; i < BYTES; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        keys[i] = (unsigned char)(random >> 56);
    }
    for (long i = 0; i < count; i++)
        hash ^= XXH64(keys + i % (BYTES / 2), SHORTEST + (size_t)(i * 7 % LENGTHS), hash);
    printf("%016" PRIx64 "\n", hash);
    return 0;
}
