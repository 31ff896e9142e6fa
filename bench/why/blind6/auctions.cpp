// Sorts the lots of an auction by rules of several kinds, and sums what the first of each bring.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

struct Lot {
    uint32_t number, estimate, weight, year;
    char title[240];
    char seller[240];
};

static std::vector<Lot> catalogue(size_t count) {
    std::vector<Lot> lots(count);
    uint32_t seed = 12;
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525 + 1013904223;
        Lot &lot = lots[i];
        lot = {static_cast<uint32_t>(i), seed >> 14, seed >> 6 & 1023, 1700 + (seed >> 24), {}, {}};
        std::snprintf(lot.title, sizeof lot.title, "lot %zu of the year %u", i, lot.year);
        std::snprintf(lot.seller, sizeof lot.seller, "seller %u", seed >> 20);
    }
    return lots;
}

static bool dearer(const Lot &a, const Lot &b) {
    return a.estimate != b.estimate ? a.estimate > b.estimate : a.number < b.number;
}

static bool older(const Lot &a, const Lot &b) { return a.year != b.year ? a.year < b.year : dearer(a, b); }

static bool heavier(const Lot &a, const Lot &b) { return a.weight != b.weight ? a.weight > b.weight : dearer(a, b); }

// The estimates of the first hundred in this order, and the length of their titles.
template <class Order> static uint64_t first(const std::vector<Lot> &lots, Order order) {
    uint64_t sum = 0;
#ifdef WHOLE
    std::vector<Lot> sorted(lots);
    std::sort(sorted.begin(), sorted.end(), order);
    for (size_t i = 0; i < 100; i++) {
        const Lot &lot = sorted[i];
#else
    std::vector<uint32_t> places(lots.size());
    std::iota(places.begin(), places.end(), 0u);
    std::sort(places.begin(), places.end(), [&](uint32_t a, uint32_t b) { return order(lots[a], lots[b]); });
    for (size_t i = 0; i < 100; i++) {
        const Lot &lot = lots[places[i]];
#endif
        sum += lot.estimate + i * lot.number;
        for (const char *c = lot.title; *c; c++)
            sum += *c == 'o';
    }
    return sum;
}

int main() {
    std::vector<Lot> lots = catalogue(2000);
    uint64_t sum = 0;
    for (int day = 0; day < 1200; day++) {
        lots[static_cast<size_t>(day) * 17 % lots.size()].estimate += 1000;
        sum += first(lots, day % 3 == 0 ? dearer : day % 3 == 1 ? older : heavier);
    }
    std::printf("%llu\n", static_cast<unsigned long long>(sum));
}
