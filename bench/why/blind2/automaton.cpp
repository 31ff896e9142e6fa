// A row of cells, each of which becomes what its neighbours say (rule 30), or of a rare accident.
#include <cstdio>
#include <vector>

#ifdef BITS
using Row = std::vector<bool>;
#else
using Row = std::vector<unsigned char>;
#endif

static void grow(const Row &now, Row &next) {
    static const bool becomes[8] = {false, true, true, true, true, false, false, false};
    for (std::size_t i = 1; i + 1 < now.size(); i++)
        next[i] = becomes[now[i - 1] * 4 + now[i] * 2 + now[i + 1]];
}

int main() {
    Row now(12000), next(12000);
    now[6000] = true;
    long alive = 0;
    unsigned seed = 6;
    for (int generation = 0; generation < 3000; generation++) {
        grow(now, next);
        for (int i = 0; i < 5000; i++) {
            seed = seed * 1664525u + 1013904223u;
            if (seed >> 20 == 0)
                next[1 + (seed & 8191)] = true;
        }
        now.swap(next);
        if (generation % 50 == 0)
            for (std::size_t i = 0; i < now.size(); i++)
                alive += now[i];
    }
    std::printf("%ld\n", alive);
}
