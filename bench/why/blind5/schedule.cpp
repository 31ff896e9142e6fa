// Puts the jobs of a day into order, by time, then room, and looks for overlaps.
#include <algorithm>
#include <cstdio>
#include <vector>

struct Job {
    int start, end, room, id;
};

static bool earlier(const Job &a, const Job &b) {
    return a.start != b.start ? a.start < b.start : a.id < b.id;
}

static bool by_room(const Job &a, const Job &b) {
    return a.room != b.room ? a.room < b.room : a.id < b.id;
}

struct Order {
    const char *name;
    bool (*before)(const Job &, const Job &);
};

static const Order orders[] = {{"time", earlier}, {"room", by_room}};

static std::vector<Job> drawn(int n, unsigned seed) {
    std::vector<Job> jobs(n);
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        int start = static_cast<int>((seed >> 9) % 86400);
        jobs[i] = {start, start + 600, static_cast<int>((seed >> 4) % 60), i};
    }
    return jobs;
}

static void arrange(std::vector<Job> &jobs, const Order &order) {
#ifdef TABLE
    std::sort(jobs.begin(), jobs.end(), order.before);
#else
    if (order.before == earlier)
        std::sort(jobs.begin(), jobs.end(), [](const Job &a, const Job &b) { return earlier(a, b); });
    else
        std::sort(jobs.begin(), jobs.end(), [](const Job &a, const Job &b) { return by_room(a, b); });
#endif
}

static int overlaps(const std::vector<Job> &jobs) {
    std::vector<int> until(60, 0);
    int count = 0;
    for (const Job &job : jobs) {
        count += job.start < until[job.room];
        until[job.room] = std::max(until[job.room], job.end);
    }
    return count;
}

int main(int argc, char **) {
    long sum = 0;
    for (int day = 0; day < 130; day++) {
        auto jobs = drawn(30000, 100u + static_cast<unsigned>(day));
        arrange(jobs, orders[(day + argc) % 2]);
        sum = sum * 31 % 1000003 + overlaps(jobs) + jobs[jobs.size() / 2].id;
    }
    std::printf("check %ld\n", sum);
}
