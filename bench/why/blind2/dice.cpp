// A library of dice with a state for each thread, and a program that plays with them.
#include <cstdint>
#include <cstdio>

extern "C" uint32_t roll(uint32_t sides);

#ifdef LIBRARY
static thread_local uint64_t state = 88172645463325252ull;

extern "C" uint32_t roll(uint32_t sides) {
    uint64_t s = state * 6364136223846793005ull + 1442695040888963407ull;
    state = s;
    return static_cast<uint32_t>((s >> 33) * sides >> 31);
}
#else
int main() {
    uint64_t sums[13] = {};
    for (int game = 0; game < 15000000; game++)
        sums[roll(6) + roll(6) + 2]++;
    for (int i = 2; i < 13; i++)
        std::printf("%2d %llu\n", i, static_cast<unsigned long long>(sums[i]));
}
#endif
