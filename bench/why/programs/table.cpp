// Steps of a machine whose states are rows of a table.
#include <cstdio>
#include <vector>

#ifdef CHECKED
#define AT(v, i) (v).at(i)
#else
#define AT(v, i) (v)[i]
#endif

__attribute__((noinline)) long blur(const std::vector<int> &from, std::vector<int> &into)
{
    long sum = 0;
    for (std::size_t i = 0; i + 4 < from.size(); i++) {
        int value = AT(from, i) + 3 * AT(from, i + 2) - AT(from, i + 4);
        AT(into, i + 1) = value >> 1;
        sum += value;
    }
    return sum;
}

int main()
{
    std::vector<int> one(5000), two(5000);
    for (int i = 0; i < 5000; i++)
        one[i] = i * 37 % 1000;
    long sum = 0;
    for (int round = 0; round < 10000; round++)
        sum += round % 2 ? blur(two, one) : blur(one, two);
    std::printf("%ld\n", sum);
}
