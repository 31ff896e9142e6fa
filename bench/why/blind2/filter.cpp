// Which names of files a filter takes.
#include <cstdint>
#include <cstdio>
#include <regex>
#include <string>

#ifdef CHOICE
static const char *const filter = "^(?:[a-z]|[0-9]|_|-)+\\.(?:c|h|cpp)$";
#else
static const char *const filter = "^[a-z0-9_-]+\\.(?:c|h|cpp)$";
#endif

int main() {
    const std::regex wanted(filter, std::regex::optimize);
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
    uint32_t seed = 2;
    int taken = 0;
    for (int i = 0; i < 50000; i++) {
        std::string name;
        for (int j = 0; j < 24; j++) {
            seed = seed * 1664525u + 1013904223u;
            name += letters[(seed >> 16) % 38];
        }
        name += i % 3 ? ".cpp" : ".txt";
        taken += std::regex_match(name, wanted);
    }
    std::printf("%d of 50000\n", taken);
}
