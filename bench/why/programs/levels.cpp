// Counts the loud samples of a recording, for several ideas of loud.
#include <algorithm>
#include <cstdio>
#include <vector>

__attribute__((noinline)) long loud(const std::vector<unsigned> &samples, unsigned limit)
{
    long sum = 0;
    for (unsigned sample : samples) {
        if (sample >= limit)
            sum = (sum ^ sample) + 3;
        else
            sum += 1;
        asm volatile("" : "+r"(sum));
    }
    return sum;
}

int main()
{
    std::vector<unsigned> samples(100000);
    unsigned seed = 3;
    for (auto &sample : samples) {
        seed = seed * 1664525u + 1013904223u;
        sample = seed >> 16;
    }
#ifdef ORDERED
    std::sort(samples.begin(), samples.end());
#endif
    long sum = 0;
    for (unsigned round = 0; round < 300; round++)
        sum += loud(samples, 30000 + 20 * round);
    std::printf("%ld\n", sum & 1);
}
