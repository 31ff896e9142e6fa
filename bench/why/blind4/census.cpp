// Reads rows of people, groups them by town, then finds means of their ages and heights.
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

#ifdef WIDE
struct Person {
    float age;
    char notes[120];
    int town;
};
#else
struct Person {
    float age;
    int town;
};
#endif

#ifdef OWNED
using Field = std::string;
#else
using Field = std::string_view;
#endif

std::string make_table(int rows) {
    std::string table;
    for (int i = 0; i < rows; i++)
        table += "the person with number " + std::to_string(i) + ",town of " + std::to_string(i * 37 % 250) +
                 " on the southern river," + std::to_string(18 + i * 13 % 70) + " years and some months\n";
    return table;
}

std::vector<Field> split(std::string_view line) {
    std::vector<Field> fields;
    fields.reserve(4);
    while (true) {
        size_t comma = line.find(',');
        fields.emplace_back(line.substr(0, comma));
        if (comma == line.npos)
            return fields;
        line.remove_prefix(comma + 1);
    }
}

int number(std::string_view text) {
    int value = 0;
    for (char letter : text)
        if (letter >= '0' && letter <= '9')
            value = value * 10 + letter - '0';
    return value;
}

int64_t read_ages(const std::string &table) {
    std::string_view rest = table;
    int64_t sum = 0;
    while (!rest.empty()) {
        size_t end = rest.find('\n');
        auto fields = split(rest.substr(0, end));
        sum += number(fields[2]) * (number(fields[1]) % 3);
        rest.remove_prefix(end + 1);
    }
    return sum;
}

double mean_age(const std::vector<Person> &people, int town) {
    double sum = 0;
    int count = 0;
    for (const Person &person : people)
        if (person.town == town) {
            sum += person.age;
            count++;
        }
    return count ? sum / count : 0;
}

}  // namespace

int main() {
    const std::string table = make_table(20000);
    int64_t ages = 0;
    for (int round = 0; round < 27; round++)
        ages += read_ages(table);
    std::vector<Person> people(100000);
    for (int i = 0; i < int(people.size()); i++) {
        people[i].age = float(18 + i * 13 % 70);
        people[i].town = i * 37 % 250;
    }
    double means = 0;
    for (int town = 0; town < 70; town++)
        means += mean_age(people, town);
    std::printf("%lld %.3f\n", (long long)ages, means);
}
