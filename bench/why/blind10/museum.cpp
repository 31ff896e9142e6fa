// A museum: stones are measured, catalogue lines are read, labels are put together, guides are numbered.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#ifndef STONES
#define STONES 2000u
#endif
#ifndef LINES
#define LINES 2000
#endif
#ifndef LABELS
#define LABELS 1000
#endif
#ifndef TICKETS
#define TICKETS 1000
#endif

static unsigned seed = 41;

static unsigned drawn(unsigned below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

#ifdef ROWS
using stone = std::vector<double>;
#else
using stone = std::array<double, 3>;
#endif

static double measured()
{
    std::vector<stone> stones;
    for (unsigned i = 0; i < STONES; i++)
        stones.push_back(stone{drawn(90) / 8., drawn(70) / 8., drawn(50) / 8.});
    for (unsigned i = 0; i + 1 < STONES; i++)
        std::swap(stones[i], stones[i + drawn(STONES - i)]);
    double sum = 0;
    for (unsigned day = 0; day < 30; day++)
        for (const stone &one : stones)
            sum += one[0] * one[1] + one[2] * day;
    return sum;
}

static unsigned long read(const std::vector<std::string> &lines)
{
    unsigned long sum = 0;
    for (const std::string &line : lines) {
        unsigned number = 0, year = 0, room = 0;
#ifdef STREAMED
        std::istringstream words(line);
        words >> number >> year >> room;
#else
        char *rest;
        number = std::strtoul(line.c_str(), &rest, 10);
        year = std::strtoul(rest, &rest, 10);
        room = std::strtoul(rest, &rest, 10);
#endif
        sum += number + year * 3 + room * 7;
    }
    return sum;
}

static unsigned long labelled()
{
#ifdef OTHER
    std::vector<unsigned> signs;
    unsigned long all = 0;
    unsigned label = 0;
    while (LABELS > label) {
        signs.clear();
        const unsigned last = label % 800 + 100;
        for (unsigned at = 0; at != last; ++at)
            signs.push_back(label ^ at);
        all += signs.back() + signs[signs.size() / 2];
        ++label;
    }
    return all;
#else
    unsigned long sum = 0;
    std::vector<unsigned> letters;
    for (unsigned i = 0; i < LABELS; i++) {
        letters.clear();
#ifdef SHRUNK
        letters.shrink_to_fit();
#endif
        for (unsigned k = 0; k < 100 + i % 800; k++)
            letters.push_back(k ^ i);
        sum += letters[letters.size() / 2] + letters.back();
    }
    return sum;
#endif
}

static unsigned ticketed()
{
    std::vector<unsigned> drawers(64);
#ifdef DEVICE
    std::random_device random;
#else
    std::minstd_rand random(std::random_device{}());
#endif
    unsigned tickets = 0;
    for (unsigned i = 0; i < TICKETS; i++) {
        unsigned drawer = random() % 64;
        drawers[drawer]++;
    }
    for (unsigned drawer : drawers)
        tickets += drawer;
    return tickets;
}

int main()
{
    std::vector<std::string> lines;
    for (unsigned i = 0; i < LINES; i++)
        lines.push_back(std::to_string(10000 + i) + " " + std::to_string(1500 + drawn(400)) + " " + std::to_string(drawn(90)));
    std::printf("%.2f %lu %lu %u\n", measured(), read(lines), labelled(), ticketed());
}
