// A simulation of a shop: customers come, wait in a queue, are served; events in a heap.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Event {
    uint64_t at;
    int customer;
    int kind;
};

class Agenda {
  public:
    void add(Event event) {
        heap.push_back(event);
        size_t at = heap.size() - 1;
        while (at > 0 && heap[at].at < heap[(at - 1) / 2].at) {
            std::swap(heap[at], heap[(at - 1) / 2]);
            at = (at - 1) / 2;
        }
    }
    Event next() {
        Event first = heap.front();
        heap.front() = heap.back();
        heap.pop_back();
        for (size_t at = 0;;) {
            size_t child = 2 * at + 1;
            if (child >= heap.size())
                break;
            if (child + 1 < heap.size() && heap[child + 1].at < heap[child].at)
                child++;
            if (heap[at].at <= heap[child].at)
                break;
            std::swap(heap[at], heap[child]);
            at = child;
        }
        return first;
    }
    bool empty() const { return heap.empty(); }
#ifdef OTHER
    // For a report that nobody asks for at present.
    size_t count(int kind) const {
        size_t found = 0;
        for (const Event &event : heap)
            found += event.kind == kind;
        return found;
    }
#endif

  private:
    std::vector<Event> heap;
};

class Chance {
  public:
    uint64_t below(uint64_t limit) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return (state >> 33) % limit;
    }

  private:
    uint64_t state = 5;
};

int main() {
    Agenda agenda;
    Chance chance;
    std::vector<int> visits(1000);
    for (int customer = 0; customer < 1000; customer++)
        agenda.add({chance.below(5000), customer, 0});
    uint64_t waited = 0, served = 0, free_at = 0;
    while (!agenda.empty() && served < 800000) {
        Event event = agenda.next();
        if (event.kind == 0) {
#ifdef OTHER
            const uint64_t begin = free_at < event.at ? event.at : free_at;
            waited = waited + (begin - event.at);
            visits[event.customer] += 1;
            free_at = begin + chance.below(5) + 1;
            const Event leaving{free_at, event.customer, 1};
            agenda.add(leaving);
#else
            uint64_t start = event.at > free_at ? event.at : free_at;
            waited += start - event.at;
            free_at = start + 1 + chance.below(5);
            visits[event.customer]++;
            agenda.add({free_at, event.customer, 1});
#endif
        } else {
            served++;
            agenda.add({event.at + 1000 + chance.below(5000), event.customer, 0});
        }
    }
    uint64_t mixed = 0;
    for (int count : visits)
        mixed = mixed * 31 + count;
    std::printf("%llu %llu %llu\n", (unsigned long long)served, (unsigned long long)waited, (unsigned long long)mixed);
}
