// Stations of a railway: prices by name, boards of departures, and two readers of a timetable.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#ifndef ROUNDS
#define ROUNDS 100
#endif
#ifndef BOARDS
#define BOARDS 6000
#endif
#ifndef SORTS
#define SORTS 4
#endif
#ifndef LOOKS
#define LOOKS 1000
#endif

namespace {

std::uint32_t seed = 3;

std::uint32_t drawn(std::uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

std::map<std::string, int> prices;

#ifdef PAIRS
using Entry = std::pair<std::string, int>;
#else
using Entry = std::pair<const std::string, int>;
#endif

std::uint64_t income(int people)
{
    std::uint64_t sum = 0;
    for (const Entry &entry : prices)
        sum += entry.second * people + entry.first.size();
    return sum;
}

using Board = std::vector<std::string>;

Board board(std::uint32_t from)
{
    Board lines;
    lines.reserve(16);
    for (std::uint32_t i = 0; i < 16; i++)
        lines.emplace_back("Departure from platform " + std::to_string((from + i) % 24) + " on time");
    return lines;
}

struct Notice {
#ifdef CONSTANT
    const Board lines;
#else
    Board lines;
#endif
    std::uint32_t number;
};

std::size_t show(std::uint32_t count)
{
    std::size_t letters = 0;
    std::vector<Notice> received, shown;
    for (std::uint32_t i = 0; i < count; i++) {
        Notice next{board(i), i};
        received.push_back(std::move(next));
        if (received.size() < 16)
            continue;
        for (Notice &notice : received)
            shown.push_back(std::move(notice));
        received.clear();
        if (shown.size() < 256)
            continue;
        for (const Notice &notice : shown)
            letters += notice.lines.back().size() + notice.number % 3;
        shown.clear();
    }
    return letters;
}

struct Stop {
    std::string name, line;
    std::uint32_t minute;
};

#ifdef BYVALUE
bool earlier(Stop left, Stop right)
#else
bool earlier(const Stop &left, const Stop &right)
#endif
{
    return left.minute != right.minute ? left.minute < right.minute : left.name < right.name;
}

std::shared_mutex guard;
std::vector<std::uint32_t> timetable;

std::uint64_t looked(std::uint32_t from)
{
    std::uint64_t sum = 0;
#ifdef SHARED
    for (std::uint32_t i = 0; i < LOOKS * 100; i++) {
        std::shared_lock<std::shared_mutex> reading(guard);
        for (std::uint32_t j = 0; j < 2; j++)
            sum = sum * 3 + timetable[(from + i * 7 + j * 13) % timetable.size()];
    }
#else
    for (std::uint32_t k = 0; k < LOOKS; k++) {
        std::shared_lock<std::shared_mutex> reading(guard);
        for (std::uint32_t i = k * 100; i < k * 100 + 100; i++)
            for (std::uint32_t j = 0; j < 2; j++)
                sum = sum * 3 + timetable[(from + i * 7 + j * 13) % timetable.size()];
    }
#endif
    return sum;
}

} // namespace

int main()
{
    for (std::uint32_t i = 0; i < 2000; i++)
        prices["Station of the town number " + std::to_string(i)] = drawn(90);
    std::uint64_t sum = 0;
    for (int round = 0; round < ROUNDS; round++)
        sum += income(round);
    sum += show(BOARDS);
    std::vector<Stop> stops;
    for (std::uint32_t i = 0; i < 12000; i++)
        stops.push_back({"Stop in the street " + std::to_string(drawn(3000)), "Line " + std::to_string(i % 9), drawn(1440)});
    for (int i = 0; i < SORTS; i++) {
        std::vector<Stop> sorted = stops;
        std::sort(sorted.begin(), sorted.end(), earlier);
        sum = sum * 31 + sorted[i * 100].minute;
    }
    for (std::uint32_t i = 0; i < 5000; i++)
        timetable.push_back(drawn(1440));
    std::uint64_t first = 0, second = 0;
    std::thread one([&first] { first = looked(1); });
    std::thread two([&second] { second = looked(2); });
    one.join();
    two.join();
    std::printf("%llu %llu\n", static_cast<unsigned long long>(sum), static_cast<unsigned long long>(first ^ second));
}
