// Plans trips on a network of bus stops: breadth first, with the lines that stop there.
#include <cstdio>
#include <deque>
#include <string>
#include <vector>

class Network {
  public:
    explicit Network(int stops) : next_(stops), zone_(stops) {
        unsigned seed = 77;
        for (int s = 0; s < stops; s++) {
            zone_[s] = s * 7 / stops;
            for (int k = 0; k < 6; k++) {
                seed = seed * 1664525u + 1013904223u;
                next_[s].push_back(k < 3 ? (s + k * k + 1) % stops : static_cast<int>((seed >> 8) % stops));
            }
        }
    }

#ifdef VALUE
    std::vector<int> next(int stop) const { return next_[stop]; }
#else
    const std::vector<int> &next(int stop) const { return next_[stop]; }
#endif
    int zone(int stop) const { return zone_[stop]; }
    int size() const { return static_cast<int>(next_.size()); }

  private:
    std::vector<std::vector<int>> next_;
    std::vector<int> zone_;
};

struct Trip {
    int hops, zones;
};

static Trip planned(const Network &net, int from, int to) {
    std::vector<int> hops(net.size(), -1), zones(net.size(), 0);
    std::deque<int> waiting{from};
    hops[from] = 0;
    while (!waiting.empty()) {
        int here = waiting.front();
        waiting.pop_front();
        if (here == to)
            break;
        for (int stop : net.next(here)) {
            int crossed = zones[here] + (net.zone(stop) != net.zone(here));
            if (hops[stop] < 0) {
                hops[stop] = hops[here] + 1;
                zones[stop] = crossed;
                waiting.push_back(stop);
            } else if (hops[stop] == hops[here] + 1 && crossed < zones[stop]) {
                zones[stop] = crossed;
            }
        }
    }
    return {hops[to], zones[to]};
}

int main() {
    Network net(6000);
    long hops = 0, zones = 0;
    for (int i = 0; i < 1600; i++) {
        Trip trip = planned(net, i * 37 % net.size(), i * 91 % net.size());
        hops += trip.hops;
        zones += trip.zones;
    }
    std::printf("hops %ld, zones %ld\n", hops, zones);
}
