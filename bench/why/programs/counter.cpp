// Counts how often each word length appears.
#include <atomic>
#include <cstdio>

#ifdef SHARED
typedef std::atomic<unsigned long> Count;
#else
typedef unsigned long Count;
#endif

static Count counts[16];

__attribute__((noinline)) void count(unsigned seed, int items)
{
    for (int i = 0; i < items; i++) {
        seed = seed * 1664525u + 1013904223u;
        counts[seed >> 28]++;
    }
}

int main()
{
    for (unsigned round = 0; round < 300; round++)
        count(round, 100000);
    std::printf("%lu\n", static_cast<unsigned long>(counts[3]));
}
