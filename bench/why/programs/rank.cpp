// Sorts rows by their key.
#include <algorithm>
#include <cstdio>
#include <vector>

struct Row {
    unsigned key;
    unsigned value;
};

static bool before(const Row &a, const Row &b) { return a.key < b.key; }

#ifdef BY_FUNCTION
#define ORDER before
#else
#define ORDER [](const Row &a, const Row &b) { return before(a, b); }
#endif

int main()
{
    std::vector<Row> rows(200000);
    unsigned long sum = 0;
    for (int round = 0; round < 4; round++) {
        unsigned seed = 42 + round;
        for (auto &row : rows) {
            seed = seed * 1664525u + 1013904223u;
            row = {seed >> 8, seed};
        }
        std::sort(rows.begin(), rows.end(), ORDER);
        sum += rows[round * 1000].key;
    }
    std::printf("%lu\n", sum);
}
