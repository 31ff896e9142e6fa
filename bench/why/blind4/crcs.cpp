// Checks one file's name and size; a library of tables comes with the program.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace {

// Tables for a cosine transform of all sizes that the codec knows.
std::vector<std::vector<double>> make_cosines() {
    std::vector<std::vector<double>> tables;
    for (int size = 8; size <= 512; size += 8) {
        std::vector<double> table;
        for (int k = 0; k < size; k++)
            for (int n = 0; n < size; n += 8)
                table.push_back(std::cos(M_PI / size * (n + 0.5) * k));
        tables.push_back(table);
    }
    return tables;
}

std::map<std::string, int> make_codes() {
    std::map<std::string, int> codes;
    for (int i = 0; i < 100000; i++)
        codes["code-" + std::to_string(i * 7919 % 100000)] = i;
    return codes;
}

#ifdef GLOBAL
const std::vector<std::vector<double>> all_cosines = make_cosines();
const std::map<std::string, int> all_codes = make_codes();
const auto &cosines() { return all_cosines; }
const auto &codes() { return all_codes; }
#else
const auto &cosines() {
    static const std::vector<std::vector<double>> tables = make_cosines();
    return tables;
}
const auto &codes() {
    static const std::map<std::string, int> table = make_codes();
    return table;
}
#endif

uint32_t checksum(const std::string &text) {
    uint32_t value = 0xffffffff;
    for (unsigned char byte : text) {
        value ^= byte;
        for (int bit = 0; bit < 8; bit++)
            value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0);
    }
    return ~value;
}

}  // namespace

int main(int argc, char **argv) {
    std::string text;
    for (int i = 0; i < 200000; i++)
        text += char('a' + i * 31 % 26);
    std::printf("%08x\n", checksum(text));
    if (argc > 1 && std::string(argv[1]) == "--encode")
        std::printf("%f %d\n", cosines().back()[5], codes().at("code-5"));
}
