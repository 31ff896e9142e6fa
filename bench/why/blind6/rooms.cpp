// Walks through the rooms of a museum with visitors, who call back what they see.
#include <cstdio>
#include <functional>
#include <vector>

struct Piece {
    int room, century, value;
};

struct Museum {
    std::vector<Piece> pieces;
    std::vector<int> starts;
};

using Visit = std::function<bool(const Piece &)>;

static Museum opened(int rooms) {
    Museum m;
    unsigned seed = 6;
    for (int room = 0; room < rooms; room++) {
        m.starts.push_back(static_cast<int>(m.pieces.size()));
        seed = seed * 1664525 + 1013904223;
        int count = 1 + static_cast<int>(seed >> 30);
        for (int i = 0; i < count; i++) {
            seed = seed * 1664525 + 1013904223;
            m.pieces.push_back({room, 12 + static_cast<int>(seed >> 28), static_cast<int>(seed >> 12 & 4095)});
        }
    }
    m.starts.push_back(static_cast<int>(m.pieces.size()));
    return m;
}

// Shows the pieces of a room until the visitor has had enough.
__attribute__((noinline)) static int shown(const Museum &m, int room, const Visit &visit) {
    int seen = 0;
    for (int i = m.starts[room]; i < m.starts[room + 1]; i++) {
        seen++;
        if (!visit(m.pieces[i]))
            break;
    }
    return seen;
}

struct Taste {
    int first, last;
    long worth = 0;
    int liked = 0;
    int patience = 40;
};

// What the piece does to a visitor, who goes on for as long as there is patience.
static inline bool looked(const Piece &p, Taste &taste, unsigned &steps, int room) {
    if (p.century >= taste.first && p.century <= taste.last) {
        taste.liked++;
        taste.worth += p.value;
    }
    steps += static_cast<unsigned>(p.room + room);
    return --taste.patience > 0;
}

static int toured(const Museum &m, Taste &taste, int from, int rooms, unsigned &steps) {
    int seen = 0, rooms_there = static_cast<int>(m.starts.size() - 1);
    struct {
        Taste &taste;
        unsigned &steps;
        int room;
    } tour{taste, steps, from};
    for (; tour.room < from + rooms; tour.room++) {
#ifdef CAPTURES
        int room = tour.room;
        seen += shown(m, room % rooms_there,
                      [&taste, &steps, room](const Piece &p) { return looked(p, taste, steps, room); });
#else
        seen += shown(m, tour.room % rooms_there,
                      [&tour](const Piece &p) { return looked(p, tour.taste, tour.steps, tour.room); });
#endif
        if (taste.patience <= 0)
            taste.patience = 40;
    }
    return seen;
}

int main() {
    Museum m = opened(500);
    long seen = 0, worth = 0, liked = 0;
    unsigned steps = 0;
    for (int visitor = 0; visitor < 30000; visitor++) {
        Taste taste{12 + visitor % 9, 16 + visitor % 7};
        seen += toured(m, taste, visitor * 13 % 500, 400, steps);
        worth += taste.worth;
        liked += taste.liked;
    }
    std::printf("%ld seen, %ld liked, worth %ld, %u\n", seen, liked, worth, steps);
}
