// A warehouse: books movements by article, looks up suppliers by name, selects and levels stock.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct Article {
    uint32_t number;
    int stock, minimum;
    float price;
};

#ifdef TREE
using Stock = std::map<uint32_t, int>;
#else
using Stock = std::unordered_map<uint32_t, int>;
#endif
#ifdef TEMPKEY
using Suppliers = std::map<std::string, int>;
#else
using Suppliers = std::map<std::string, int, std::less<>>;
#endif

static uint32_t mixed(uint32_t x) {
    x = (x ^ (x >> 16)) * 0x45d9f3bu;
    return x ^ (x >> 15);
}

// Stock by article after all movements.
static long book(int movements) {
    Stock stock;
    for (int i = 0; i < movements; i++) stock[mixed(i * 7u) % 16000] += 1 + i % 3;
    long sum = 0;
    for (int i = 0; i < movements; i++) {
        auto found = stock.find(mixed(i) % 20000);
        if (found != stock.end()) sum += found->second;
    }
    return sum;
}

// Looks up the supplier that each delivery note names.
static long deliveries(const Suppliers &suppliers, const std::vector<const char *> &notes, int rounds) {
    long sum = 0;
    for (int round = 0; round < rounds; round++)
        for (const char *name : notes) {
#ifdef TEMPKEY
            auto found = suppliers.find(name);
#else
            auto found = suppliers.find(std::string_view(name));
#endif
            if (found != suppliers.end()) sum += found->second;
        }
    return sum;
}

#ifdef FUNCTION
using Rule = std::function<int(const Article &)>;
__attribute__((noinline)) static long priced(const std::vector<Article> &all, const Rule &rule) {
#else
template <class Rule>
__attribute__((noinline)) static long priced(const std::vector<Article> &all, const Rule &rule) {
#endif
    long sum = 0;
    for (const Article &a : all) sum = sum * 3 + rule(a);
    return sum;
}

// Levels the load of shelves with that of their neighbours, row by row.
__attribute__((noinline)) static void level(std::vector<int> &to, const std::vector<int> &from, size_t width) {
    for (size_t i = width + 1; i + width + 1 < from.size(); i++)
        to[i] = (from[i - 1] + from[i + 1] + from[i - width] + from[i + width] + 4 * from[i]) >> 3;
}

int main() {
    std::vector<Article> all;
    for (uint32_t i = 0; i < 100000; i++)
        all.push_back({i, int(mixed(i) % 90), int(mixed(i + 9) % 60), float(i % 700) / 4});
    Suppliers suppliers;
    std::vector<std::string> names;
    for (int i = 0; i < 5; i++) {
        names.push_back(std::to_string(i * 37) + " Northern Bearings and Sons");
        suppliers[names.back()] = i;
    }
    std::vector<const char *> notes;
    for (int i = 0; i < 10000; i++) notes.push_back(names[mixed(i) % names.size()].c_str());
    long sum = book(160000);
    sum += deliveries(suppliers, notes, 110);
    int bonus = int(all.size() % 7);
    for (int round = 0; round < 100; round++)
        sum += priced(all, [bonus, round](const Article &a) { return a.stock * bonus + (a.minimum ^ round); });
    std::vector<int> shelves(512 * 512), next(shelves.size());
    for (size_t i = 0; i < shelves.size(); i++) shelves[i] = int(mixed(uint32_t(i)) % 1000);
    for (int round = 0; round < 70; round++) {
        level(next, shelves, 512);
        shelves.swap(next);
    }
    std::printf("%ld %d\n", sum, shelves[70000]);
}
