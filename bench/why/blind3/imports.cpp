// Imports a price list: rows with a bad number are counted, the others go to a report.
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

static std::optional<int> number(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

#ifdef THROW
static int strict(std::string_view text) {
    if (const auto value = number(text))
        return *value;
    throw std::invalid_argument("not a number");
}

static std::optional<int> price(std::string_view text) {
    try {
        return strict(text);
    } catch (const std::invalid_argument &) {
        return std::nullopt;
    }
}
#else
static std::optional<int> price(std::string_view text) { return number(text); }
#endif

#ifdef ENDL
#define LINE_END std::endl
#else
#define LINE_END '\n'
#endif

static std::vector<std::string> rows() {
    std::vector<std::string> rows;
    unsigned state = 31;
    for (int i = 0; i < 200000; i++) {
        state = state * 1664525u + 1013904223u;
        std::string row = "article " + std::to_string(i) + ";" + std::to_string(state >> 16);
        if (state >> 28 < 4)
            row += " EUR";
        rows.push_back(row);
    }
    return rows;
}

int main() {
    std::ofstream report("/dev/null");
    int bad = 0, good = 0;
    for (const std::string &row : rows()) {
        const std::size_t at = row.find(';');
        if (const auto value = price(std::string_view(row).substr(at + 1))) {
            report << std::string_view(row).substr(0, at) << " costs " << *value << LINE_END;
            good++;
        } else {
            bad++;
        }
    }
    std::cout << good << ' ' << bad << '\n';
}
