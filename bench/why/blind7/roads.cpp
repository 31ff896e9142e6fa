// Routes in a town: the shortest way between two crossings of a grid with some roads missing.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#ifndef SPAN
#define SPAN 16
#define QUESTIONS 1000
#endif

struct Road {
    uint32_t to;
    uint32_t metres;
};

class Town {
public:
    explicit Town(uint32_t side) : side_(side), roads_(side * side) {
        for (uint32_t y = 0; y < side; y++)
            for (uint32_t x = 0; x < side; x++) {
                if (x + 1 < side)
                    connect(at(x, y), at(x + 1, y));
                if (y + 1 < side)
                    connect(at(x, y), at(x, y + 1));
                if (x + 1 < side && y + 1 < side && drawn() % 4 == 0)
                    connect(at(x, y), at(x + 1, y + 1));
            }
    }

    uint32_t at(uint32_t x, uint32_t y) const { return y * side_ + x; }
    uint32_t side() const { return side_; }
    size_t size() const { return roads_.size(); }
    const std::vector<Road> &from(uint32_t crossing) const { return roads_[crossing]; }

private:
    void connect(uint32_t a, uint32_t b) {
        if (drawn() % 10 == 0)
            return;
        uint32_t metres = 200 + drawn() % 90;
        roads_[a].push_back({b, metres});
        roads_[b].push_back({a, metres});
    }

    uint32_t drawn() {
        seed_ = seed_ * 1664525 + 1013904223;
        return seed_ >> 8;
    }

    uint32_t side_;
    uint32_t seed_ = 6;
    std::vector<std::vector<Road>> roads_;
};

class Router {
public:
    explicit Router(const Town &town) : town_(town), far_(town.size(), unreached), round_(town.size(), 0) {}

    // Metres from one crossing to another, or `unreached`.
    uint32_t metres(uint32_t from, uint32_t to) {
        begin();
        using Open = std::pair<uint32_t, uint32_t>;
        std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
        set(from, 0);
        open.push({least(from, to), from});
        while (!open.empty()) {
            auto [guess, crossing] = open.top();
            open.pop();
            uint32_t far = get(crossing);
            if (crossing == to)
                return far;
            if (guess > far + least(crossing, to))
                continue; // a shorter way here was found after this one
            for (const Road &road : town_.from(crossing)) {
                uint32_t next = far + road.metres;
                if (next < get(road.to)) {
                    set(road.to, next);
                    open.push({next + least(road.to, to), road.to});
                }
            }
        }
        return unreached;
    }

    static constexpr uint32_t unreached = std::numeric_limits<uint32_t>::max();

private:
    // No way is shorter than this; with it, the search goes towards its end first.
    uint32_t least(uint32_t from, uint32_t to) const {
#ifdef BLIND
        (void)from, (void)to;
        return 0;
#else
        uint32_t side = town_.side();
        uint32_t x = from % side, y = from / side, other_x = to % side, other_y = to / side;
        return 200 * std::max(x > other_x ? x - other_x : other_x - x, y > other_y ? y - other_y : other_y - y);
#endif
    }

#ifdef CLEAR
    void begin() { std::fill(far_.begin(), far_.end(), unreached); }
    uint32_t get(uint32_t crossing) const { return far_[crossing]; }
    void set(uint32_t crossing, uint32_t far) { far_[crossing] = far; }
#else
    void begin() { now_++; }
    uint32_t get(uint32_t crossing) const { return round_[crossing] == now_ ? far_[crossing] : unreached; }
    void set(uint32_t crossing, uint32_t far) {
        far_[crossing] = far;
        round_[crossing] = now_;
    }
#endif

    const Town &town_;
    std::vector<uint32_t> far_;
    std::vector<uint32_t> round_;
    uint32_t now_ = 0;
};

int main() {
    Town town(600);
    Router router(town);
    uint32_t seed = 33;
    uint64_t sum = 0;
    unsigned missing = 0;
    for (int question = 0; question < QUESTIONS; question++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t x = (seed >> 8) % (town.side() - 40), y = (seed >> 16) % (town.side() - 40);
        uint32_t metres = router.metres(town.at(x, y), town.at(x + SPAN + (seed >> 29), y + SPAN + 4));
        if (metres == Router::unreached)
            missing++;
        else
            sum += metres;
    }
    std::printf("%llu metres, %u without a way\n", static_cast<unsigned long long>(sum), missing);
}
