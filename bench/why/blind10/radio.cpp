// A radio: samples are turned by complex numbers, stations are listed.
#include <complex>
#include <cstdio>
#include <vector>

#ifndef PASSES
#define PASSES 20000
#endif

using sample = std::complex<float>;

[[gnu::noinline]] static void turned(std::vector<sample> &to, const std::vector<sample> &from, sample by)
{
    sample *out = to.data();
    const sample *in = from.data();
    for (std::size_t i = 0; i < 2048; i++)
        out[i] = in[i] * by;
}

int main()
{
    std::vector<sample> heard(2048), tuned(2048);
    for (std::size_t i = 0; i < heard.size(); i++)
        heard[i] = {static_cast<float>(i % 91) - 45, static_cast<float>(i % 53) - 26};
    double sum = 0;
    for (int pass = 0; pass < PASSES; pass++) {
        turned(tuned, heard, {static_cast<float>(pass % 7) + 1, static_cast<float>(pass % 5) - 2});
        sum += tuned[static_cast<std::size_t>(pass % 2048)].real();
    }
    std::printf("%.1f\n", sum);
}
