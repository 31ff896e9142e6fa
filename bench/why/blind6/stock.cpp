// Keeps a shop's stock by the names of articles and sums it up after each delivery.
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

struct Stock {
    int pieces = 0;
    int price = 0;
    int shelf = 0;
};

using Shelves = std::map<std::string, Stock>;

#ifdef PAIRS
using Entry = std::pair<std::string, Stock>;
#else
using Entry = Shelves::value_type;
#endif

static Shelves filled(int articles) {
    static const char *const words[] = {"winter boots", "garden chair", "copper kettle", "linen table cloth"};
    Shelves shelves;
    unsigned seed = 14;
    for (int i = 0; i < articles; i++) {
        seed = seed * 1664525 + 1013904223;
        std::string name = std::string(words[i % 4]) + ", size " + std::to_string(i);
        shelves[name] = {static_cast<int>(seed >> 25), 100 + static_cast<int>(seed >> 12 & 4095), i % 9};
    }
    return shelves;
}

static long worth(const Shelves &shelves) {
    long sum = 0;
    for (const Entry &entry : shelves)
        sum += static_cast<long>(entry.second.pieces) * entry.second.price;
    return sum;
}

// How many articles are short, and how long their names are on the list for the buyer.
static std::pair<int, size_t> wanted(const Shelves &shelves, int least) {
    int count = 0;
    size_t letters = 0;
    for (const Entry &entry : shelves) {
        if (entry.second.pieces < least) {
            count++;
            letters += entry.first.size() + 2;
        }
    }
    return {count, letters};
}

static void delivered(Shelves &shelves, const std::vector<std::string> &names, unsigned &seed) {
    for (int i = 0; i < 60; i++) {
        seed = seed * 1664525 + 1013904223;
        Stock &stock = shelves.at(names[(seed >> 8) % names.size()]);
        stock.pieces = (stock.pieces + static_cast<int>(seed >> 28)) % 130;
    }
}

int main() {
    Shelves shelves = filled(1500);
    std::vector<std::string> names;
    for (const auto &entry : shelves)
        names.push_back(entry.first);
    unsigned seed = 90;
    long sum = 0;
    size_t letters = 0;
    int count = 0;
    for (int day = 0; day < 5000; day++) {
        delivered(shelves, names, seed);
        sum += worth(shelves) / 100;
        auto [articles, length] = wanted(shelves, 10);
        count += articles;
        letters += length;
    }
    std::printf("%ld, %d wanted, %zu letters\n", sum, count, letters);
}
