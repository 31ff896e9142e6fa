// Follows parcels through depots: each scan has the name of a parcel, and the last place of each is kept.
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

#ifdef LONG
static const char *const kinds[] = {"parcel-", "letter-", "sheets-"};
#else
static const char *const kinds[] = {"parc-", "lett-", "shts-"};
#endif

struct Scan {
    std::string parcel;
    int depot;
};

static std::string named(unsigned number) {
    std::string name = kinds[number % 3];
    char digits[9];
    for (int i = 0; i < 9; i++) {
        digits[8 - i] = static_cast<char>('0' + number % 10);
        number /= 10;
    }
    return name.append(digits, 9);
}

// The scans of one lorry, in the order in which they were unloaded.
static std::vector<Scan> unloaded(unsigned &seed, int count, unsigned parcels) {
    std::vector<Scan> scans;
    scans.reserve(static_cast<size_t>(count));
    for (int i = 0; i < count; i++) {
        seed = seed * 1664525 + 1013904223;
        scans.push_back({named(700000000 + (seed >> 9) % parcels), static_cast<int>(seed >> 27)});
    }
    return scans;
}

class Places {
  public:
    void seen(const Scan &scan) {
        auto [at, fresh] = last.try_emplace(scan.parcel, scan.depot);
        moved += !fresh && at->second != scan.depot;
        at->second = scan.depot;
    }

    long moves() const { return moved; }
    size_t parcels() const { return last.size(); }

  private:
    std::unordered_map<std::string, int> last;
    long moved = 0;
};

#ifdef OTHER
#define passed_on reloaded
// What is to be loaded again: all that is not at the end of its way.
static std::vector<std::string> reloaded(const std::vector<Scan> &unloaded, int here) {
    std::vector<std::string> names;
    for (auto at = unloaded.begin(); at != unloaded.end(); ++at) {
        if (at->depot / 4 == here)
            continue;
        names.push_back(at->parcel);
    }
    return names;
}
#else
// Those that go on with the next lorry.
static std::vector<std::string> passed_on(const std::vector<Scan> &scans, int depot) {
    std::vector<std::string> parcels;
    for (const Scan &scan : scans)
        if (scan.depot / 4 != depot)
            parcels.push_back(scan.parcel);
    return parcels;
}
#endif

int main() {
    Places places;
    unsigned seed = 4;
    size_t loaded = 0;
    for (int lorry = 0; lorry < 7500; lorry++) {
        std::vector<Scan> scans = unloaded(seed, 600, 2000);
        for (const Scan &scan : scans)
            if (scan.depot % 4 == 0)
                places.seen(scan);
        loaded += passed_on(scans, lorry % 8).size();
    }
    std::printf("%zu parcels, %ld moves, %zu loaded\n", places.parcels(), places.moves(), loaded);
}
