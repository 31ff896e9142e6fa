// Orders the jobs of each shift by the rank of their kind, then by their length.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

struct Job {
    uint32_t kind;
    uint32_t minutes;
    uint32_t number;
};

#ifdef OTHER
using std::vector;

static uint32_t value_of(const vector<Job> &list);

struct Earlier {
    const vector<uint32_t> &order;
    bool operator()(const Job &left, const Job &right) const {
        const uint32_t l = order[left.kind], r = order[right.kind];
        if (l == r)
            return left.minutes < right.minutes;
        return l < r;
    }
};

static void arrange(vector<Job> &list, const vector<uint32_t> &order) {
    std::sort(list.begin(), list.end(), Earlier{order});
}

static uint32_t value_of(const vector<Job> &list) {
    uint32_t total = 0;
    auto it = list.cbegin();
    while (it != list.cend())
        total = total * 7 + it++->number;
    return total;
}
#else
struct ByRank {
#ifdef HELD
    std::vector<uint32_t> ranks;
#else
    const std::vector<uint32_t> &ranks;
#endif
    bool operator()(const Job &a, const Job &b) const {
        uint32_t first = ranks[a.kind], second = ranks[b.kind];
        return first != second ? first < second : a.minutes < b.minutes;
    }
};

static void arrange(std::vector<Job> &jobs, const std::vector<uint32_t> &ranks) {
    std::sort(jobs.begin(), jobs.end(), ByRank{ranks});
}

static uint32_t value_of(const std::vector<Job> &jobs) {
    uint32_t value = 0;
    for (const Job &job : jobs)
        value = value * 7 + job.number;
    return value;
}
#endif

int main() {
    std::vector<uint32_t> ranks;
    for (uint32_t i = 0; i < 40; i++)
        ranks.push_back(i * 17 % 40);
    uint32_t seed = 4, value = 0;
    for (int shift = 0; shift < 500; shift++) {
        std::vector<Job> jobs;
        for (uint32_t i = 0; i < 2000; i++) {
            seed = seed * 1664525u + 1013904223u;
            jobs.push_back({(seed >> 16) % 40, (seed >> 8) % 600, i});
        }
        arrange(jobs, ranks);
        value += value_of(jobs);
    }
    std::printf("%u\n", value);
}
