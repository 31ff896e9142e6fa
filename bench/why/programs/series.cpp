// Collects readings of many sensors, a series each.
#include <cstdio>
#include <vector>

struct Reading {
    long time;
    double values[15];
};

__attribute__((noinline)) double collect(int sensor, int count)
{
    std::vector<Reading> series;
#ifdef KNOWN
    series.reserve(count);
#endif
    for (int i = 0; i < count; i++)
        series.push_back(Reading{i, {sensor * 0.5, i * 0.25}});
    return series.back().values[0] + series[count / 2].values[1];
}

int main()
{
    double sum = 0;
    for (int sensor = 0; sensor < 24000; sensor++)
        sum += collect(sensor, 200);
    std::printf("%g\n", sum);
}
