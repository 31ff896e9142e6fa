/* Heights along a path over a landscape; the noise is in a library of its own. */
#include <stdint.h>
#include <stdio.h>

int noise(int x, int y, int seed);

#ifndef MAIN_ONLY
int noise(int x, int y, int seed)
{
    return (x * 3 + y * 5 + seed) & 255;
}
#endif

#ifndef LIBRARY_ONLY
int main(void)
{
    uint64_t total = 0;
    int x = 0, y = 0;
    for (int step = 0; step < 60000000; step++) {
        int height = noise(x, y, 7);
        total += height;
        x += 1 + (step & 1);
        y += 3 - (height & 1);
    }
    printf("%llu\n", (unsigned long long)total);
    return 0;
}
#endif
