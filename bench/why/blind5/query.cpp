// Answers questions about a column store of weather: how many days are warm, dry and windy.
#include <cstdint>
#include <cstdio>
#include <vector>

struct Weather {
    std::vector<int16_t> warmth, rain, wind;
    std::vector<uint8_t> cloud;
};

struct Question {
    int warmer, drier, windier, clearer;
};

static Weather observed(int days) {
    Weather w;
    unsigned seed = 21;
    auto draw = [&seed](unsigned below) {
        seed = seed * 1664525u + 1013904223u;
        return (seed >> 10) % below;
    };
    for (int i = 0; i < days; i++) {
        w.warmth.push_back(static_cast<int16_t>(draw(400)));
        w.rain.push_back(static_cast<int16_t>(draw(100)));
        w.wind.push_back(static_cast<int16_t>(draw(120)));
        w.cloud.push_back(static_cast<uint8_t>(draw(9)));
    }
    return w;
}

// The days that answer the question, at most as many as there is room for.
static int answered(const Weather &w, const Question &q, std::vector<int> &days) {
    int found = 0, n = static_cast<int>(w.warmth.size());
    for (int i = 0; i < n; i++) {
#ifdef SHORT
        if (w.warmth[i] > q.warmer && w.rain[i] < q.drier && w.wind[i] > q.windier && w.cloud[i] < q.clearer)
            days[found++] = i;
#else
        bool fits = (w.warmth[i] > q.warmer) & (w.rain[i] < q.drier) & (w.wind[i] > q.windier) & (w.cloud[i] < q.clearer);
        days[found] = i;
        found += fits;
#endif
    }
    return found;
}

static double mean(const std::vector<int> &days, int found, const std::vector<int16_t> &column) {
    double sum = 0;
    for (int i = 0; i < found; i++)
        sum += column[days[i]];
    return found ? sum / found : 0;
}

#ifdef OTHER
// How to ask; not used by this version, which asks what is built in.
template <class Column> static double share(const Column &column, int limit) {
    long below = 0;
    for (auto value : column)
        below += value < limit;
    return column.empty() ? 0 : static_cast<double>(below) / static_cast<double>(column.size());
}

void usage() {
    std::fputs("query: give the warmth, the rain and the wind\n", stderr);
}

double dry(const Weather &w) { return share(w.rain, 10); }
#endif

int main() {
    Weather w = observed(300000);
    std::vector<int> days(w.warmth.size() + 1);
    long found = 0;
    double warmth = 0;
    for (int i = 0; i < 400; i++) {
        Question q{180 + i % 40, 50 + i % 9, 50 + i % 11, 5};
        int count = answered(w, q, days);
        found += count;
        warmth += mean(days, count, w.warmth);
    }
    std::printf("%ld days, %.2f\n", found, warmth / 400);
}
