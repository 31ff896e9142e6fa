// A viewer of maps: tiles are drawn when they are asked for, and the last ones are kept.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#ifndef FRAMES
#define FRAMES 500
#endif
#ifndef ROOM
#define ROOM 300
#endif

struct Place {
    int level, column, row;
    bool operator==(const Place &other) const {
        return level == other.level && column == other.column && row == other.row;
    }
};

struct PlaceHash {
    size_t operator()(const Place &place) const {
        uint64_t key = (static_cast<uint64_t>(place.level) << 40) ^ (static_cast<uint64_t>(place.column) << 20)
            ^ static_cast<uint64_t>(place.row);
        return key * 0x9e3779b97f4a7c15u >> 20;
    }
};

using Tile = std::vector<uint8_t>;

template <typename Key, typename Value, typename Hash> class Cache {
public:
    explicit Cache(size_t room) : room_(room) {}

    Value *get(const Key &key) {
        auto found = index_.find(key);
        if (found == index_.end())
            return nullptr;
        order_.splice(order_.begin(), order_, found->second);
        return &found->second->second;
    }

    Value &put(const Key &key, Value value) {
        if (index_.size() >= room_) {
            index_.erase(order_.back().first);
            order_.pop_back();
        }
        order_.emplace_front(key, std::move(value));
        index_[key] = order_.begin();
        return order_.front().second;
    }

private:
    size_t room_;
    std::list<std::pair<Key, Value>> order_;
    std::unordered_map<Key, typename std::list<std::pair<Key, Value>>::iterator, Hash> index_;
};

static double height(int x, int y) {
    uint32_t h = static_cast<uint32_t>(x) * 374761393u + static_cast<uint32_t>(y) * 668265263u;
    h = (h ^ h >> 13) * 1274126177u;
    return (h >> 8) / 16777216.0;
}

static double smooth(double x, double y) {
    int column = static_cast<int>(std::floor(x)), row = static_cast<int>(std::floor(y));
    double right = x - column, down = y - row;
    double above = height(column, row) * (1 - right) + height(column + 1, row) * right;
    double below = height(column, row + 1) * (1 - right) + height(column + 1, row + 1) * right;
    return above * (1 - down) + below * down;
}

static Tile drawn(const Place &place) {
    constexpr int side = 16;
    Tile tile(side * side);
    double scale = 1.0 / (1 << place.level);
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            tile[y * side + x] =
                static_cast<uint8_t>(255 * smooth((place.column * side + x) * scale, (place.row * side + y) * scale));
    return tile;
}

class Viewer {
public:
    uint64_t shown(int level, int left, int top) {
        uint64_t sum = 0;
        for (int row = 0; row < 10; row++)
            for (int column = 0; column < 28; column++)
                sum += summed(tile({level, left + column, top + row}));
        return sum;
    }

private:
    const Tile &tile(const Place &place) {
        if (const Tile *kept = cache_.get(place))
            return *kept;
        return cache_.put(place, drawn(place));
    }

#ifdef OTHER
    static uint64_t summed(const Tile &shown) {
        uint64_t digest = 0;
        size_t at = 0;
        while (at < shown.size())
            digest = digest * 31 + shown[at++];
        return digest;
    }

    // How many tiles there are in a row of the screen.
    static constexpr int across() { return 28; }
#else
    static uint64_t summed(const Tile &tile) {
        uint64_t sum = 0;
        for (size_t i = 0; i < tile.size(); i++)
            sum = sum * 31 + tile[i];
        return sum;
    }
#endif

    Cache<Place, Tile, PlaceHash> cache_{ROOM};
};

int main() {
    Viewer viewer;
    uint64_t digest = 0;
    unsigned seed = 8;
    int left = 100, top = 100;
    for (int frame = 0; frame < FRAMES; frame++) {
        if (frame % 25 == 24) { // the user moves the map a little
            seed = seed * 1664525 + 1013904223;
            left += static_cast<int>(seed >> 30) - 1;
            top += static_cast<int>(seed >> 28 & 3) - 1;
        }
        digest = digest * 31 + viewer.shown(3, left, top);
    }
    std::printf("%016llx\n", static_cast<unsigned long long>(digest));
}
