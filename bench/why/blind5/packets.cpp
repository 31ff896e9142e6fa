// Puts packets together from chunks that come in, and checks them.
#include <cstdint>
#include <cstdio>
#include <vector>

struct Chunk {
    const uint8_t *bytes;
    size_t size;
};

class Packet {
  public:
    void append(const Chunk &chunk) {
#ifdef EXACT
        bytes_.reserve(bytes_.size() + chunk.size);
#endif
        bytes_.insert(bytes_.end(), chunk.bytes, chunk.bytes + chunk.size);
    }

    size_t size() const { return bytes_.size(); }

    uint32_t checksum() const {
        uint32_t a = 1, b = 0;
        size_t i = 0;
        while (i < bytes_.size()) {
            size_t end = std::min(bytes_.size(), i + 5000);
            for (; i < end; i++) {
                a += bytes_[i];
                b += a;
            }
            a %= 65521;
            b %= 65521;
        }
        return b << 16 | a;
    }

  private:
    std::vector<uint8_t> bytes_;
};

static std::vector<uint8_t> received(size_t n) {
    std::vector<uint8_t> bytes(n);
    uint32_t seed = 31;
    for (auto &byte : bytes) {
        seed = seed * 1664525u + 1013904223u;
        byte = static_cast<uint8_t>(seed >> 24);
    }
    return bytes;
}

int main() {
    const auto stream = received(1 << 20);
    uint32_t sum = 0;
    size_t total = 0;
    for (int again = 0; again < 20000; again++) {
        Packet packet;
        size_t at = static_cast<size_t>(again) * 613 % (stream.size() - 20000);
        size_t end = at + 8000 + again % 10000;
        while (at < end) {
            Chunk chunk{&stream[at], std::min<size_t>(end - at, 60 + at % 50)};
            packet.append(chunk);
            at += chunk.size;
        }
        sum = sum * 31 + packet.checksum();
        total += packet.size();
    }
    std::printf("%zu bytes, %08x\n", total, sum);
}
