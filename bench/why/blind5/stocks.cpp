// A cache of prices that several threads may ask; here one of them does, while another waits for news.
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

struct Quote {
    uint32_t share;
    int32_t cents;
    uint32_t asked;
};

class Prices {
  public:
    explicit Prices(uint32_t slots) : slots_(slots), mask_(slots - 1) {
        for (uint32_t i = 0; i < slots / 2; i++)
            put(i * 2654435761u, static_cast<int32_t>(1000 + i % 777));
    }

    void put(uint32_t share, int32_t cents) { *slot(share) = {share, cents, 0}; }

    int32_t get(uint32_t share) {
#ifdef GUARDED
        std::lock_guard<std::mutex> lock(mutex_);
#endif
        Quote *quote = slot(share);
        if (quote->share != share)
            return -1;
        quote->asked++;
        return quote->cents;
    }

  private:
    Quote *slot(uint32_t share) {
        uint32_t h = (share ^ share >> 15) * 2246822519u;
        h ^= h >> 13;
#ifdef MODULO
        size_t at = h % slots_.size();
#else
        uint32_t at = h & mask_;
#endif
        while (slots_[at].share != share && slots_[at].share)
            at = (at + 1) & mask_;
        return &slots_[at];
    }

    std::vector<Quote> slots_;
    uint32_t mask_;
    std::mutex mutex_;
};

int main() {
    Prices prices(4096);
    std::mutex news;
    std::condition_variable over;
    bool done = false;
    std::thread reader([&] {
        std::unique_lock<std::mutex> lock(news);
        over.wait(lock, [&] { return done; });
    });
    long worth = 0;
    uint32_t seed = 9;
    for (int i = 0; i < 15000000; i++) {
        seed = seed * 1664525u + 1013904223u;
        int32_t cents = prices.get((seed >> 20) * 2654435761u);
        worth += cents < 0 ? 1 : cents % 100;
    }
    {
        std::lock_guard<std::mutex> lock(news);
        done = true;
    }
    over.notify_one();
    reader.join();
    std::printf("worth %ld\n", worth);
}
