// Tables of a laboratory: rows of samples are gathered, labelled and ranked.
#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

class Row {
  public:
    Row(std::string name, std::vector<double> samples) : name_(std::move(name)), samples_(std::move(samples)) {}
    Row(const Row &other) : name_(other.name_), samples_(other.samples_) {}
#ifdef MAYTHROW
    Row(Row &&other) : name_(std::move(other.name_)), samples_(std::move(other.samples_)) {}
#else
    Row(Row &&other) noexcept : name_(std::move(other.name_)), samples_(std::move(other.samples_)) {}
#endif
    Row &operator=(Row &&other) noexcept {
        name_ = std::move(other.name_);
        samples_ = std::move(other.samples_);
        return *this;
    }
    const std::string &name() const { return name_; }
    double mean() const {
        double sum = 0;
        for (double s : samples_) sum += s;
        return sum / double(samples_.size());
    }

  private:
    std::string name_;
    std::vector<double> samples_;
};

static unsigned state = 4242;
static unsigned draw() { return (state = state * 1664525u + 1013904223u) >> 8; }

static std::vector<Row> gather(int count) {
    std::vector<Row> rows;
    for (int i = 0; i < count; i++) {
        std::vector<double> samples(24);
        for (double &s : samples) s = draw() % 1000;
        rows.emplace_back("sample of series " + std::to_string(draw() % 9000), std::move(samples));
    }
    return rows;
}

// "series:place;" of a row.
static std::string label(long series, int place) {
#ifdef STREAM
    std::ostringstream out;
    out << series << ':' << place << ';';
    return out.str();
#else
    return std::to_string(series) + ':' + std::to_string(place) + ';';
#endif
}

#ifdef OTHER
static std::vector<std::pair<double, int>> ranked(const std::vector<Row> &table) {
    std::vector<std::pair<double, int>> order(table.size());
    int index = 0;
    for (auto row = table.begin(); row != table.end(); ++row, ++index) order[index] = {row->mean(), index};
    std::sort(order.begin(), order.end());
    return order;
}
#else
static std::vector<std::pair<double, int>> ranked(const std::vector<Row> &rows) {
    std::vector<std::pair<double, int>> order(rows.size());
    for (size_t i = 0; i < rows.size(); i++) order[i] = std::make_pair(rows[i].mean(), int(i));
    std::sort(order.begin(), order.end());
    return order;
}
#endif

int main() {
    size_t length = 0;
    long sum = 0;
    for (int table = 0; table < 6; table++) {
        std::vector<Row> rows = gather(20000);
        for (const auto &[mean, at] : ranked(rows)) {
            std::string text = label(at * 7L, table);
            length += text.size();
            sum += text[0] + long(mean) + long(rows[at].name().size());
        }
    }
    std::printf("%zu %ld\n", length, sum);
}
