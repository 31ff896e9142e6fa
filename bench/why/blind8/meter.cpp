// A meter: one thread would write samples into a ring and another read them; here one does both in turn.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>

#ifdef STRICT
constexpr auto published = std::memory_order_seq_cst;
#else
constexpr auto published = std::memory_order_release;
#endif

class Ring {
public:
    bool put(std::uint32_t sample)
    {
        auto head = head_.load(std::memory_order_relaxed);
        if (head - tail_.load(std::memory_order_acquire) == room_.size())
            return false;
        room_[head % room_.size()] = sample;
        head_.store(head + 1, published);
        return true;
    }

    bool get(std::uint32_t &sample)
    {
        auto tail = tail_.load(std::memory_order_relaxed);
        if (tail == head_.load(std::memory_order_acquire))
            return false;
        sample = room_[tail % room_.size()];
        tail_.store(tail + 1, published);
        return true;
    }

private:
    alignas(64) std::atomic<std::uint32_t> head_{0};
    alignas(64) std::atomic<std::uint32_t> tail_{0};
    alignas(64) std::array<std::uint32_t, 1024> room_{};
};

static Ring ring;

int main()
{
    std::uint32_t seed = 2, sample = 0;
    std::uint64_t sum = 0, low = 0;
    for (int round = 0; round < 45000; round++) {
        for (int i = 0; i < 400; i++) {
            seed = seed * 1664525 + 1013904223;
            ring.put(seed >> 12);
        }
        while (ring.get(sample)) {
            sum += sample;
            low += sample < 1000;
        }
    }
    std::printf("%llu %llu\n", static_cast<unsigned long long>(sum), static_cast<unsigned long long>(low));
}
