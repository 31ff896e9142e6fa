// Collects the rows of a query in a vector that grows, again for each page.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

class Row {
    std::string name, street, city;
    long number;

public:
    Row(std::string n, std::string s, std::string c, long k)
        : name(std::move(n)), street(std::move(s)), city(std::move(c)), number(k) {}
    Row(const Row &) = default;
#ifdef THROWING
    Row(Row &&other)
#else
    Row(Row &&other) noexcept
#endif
        : name(std::move(other.name)), street(std::move(other.street)), city(std::move(other.city)),
          number(std::exchange(other.number, 0)) {
    }
    long weight() const { return number + static_cast<long>(name.size() + street.size() + city.size()); }
};

[[gnu::noinline]] static std::vector<Row> page(int first, int count) {
    std::vector<Row> rows;
    for (int i = first; i < first + count; i++) {
        const std::string n = std::to_string(i);
        rows.push_back(Row("customer of the number " + n, n + ", Street of the Long Name", "City of the District " + n, i));
    }
    return rows;
}

int main() {
    long sum = 0;
    for (int i = 0; i < 120; i++) {
        for (const Row &row : page(i * 3000, 2100))
            sum += row.weight();
    }
    std::printf("%ld\n", sum);
}
