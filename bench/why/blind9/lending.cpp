// A library: what is lent is kept, overdue loans are taken out, letters are written, titles are counted.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <queue>
#include <set>
#include <string>
#include <vector>

#ifndef LOANS
#define LOANS 20000
#endif
#ifndef LETTERS
#define LETTERS 40
#endif
#ifndef QUEUED
#define QUEUED 1500
#endif
#ifndef TITLES
#define TITLES 60000
#endif

namespace {

std::uint32_t seed = 41;

std::uint32_t drawn(std::uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

struct Loan {
    std::uint32_t book, reader, day;
};

std::uint64_t overdue(std::vector<Loan> loans, std::uint32_t today)
{
#ifdef ERASED
    for (auto loan = loans.begin(); loan != loans.end();) {
        if (loan->day < today)
            loan = loans.erase(loan);
        else
            ++loan;
    }
#else
    loans.erase(std::remove_if(loans.begin(), loans.end(),
                               [today](const Loan &loan) { return loan.day < today; }),
                loans.end());
#endif
    std::uint64_t sum = loans.size();
    for (const Loan &loan : loans)
        sum = sum * 3 + loan.reader;
    return sum;
}

std::string letter(const std::vector<Loan> &loans, std::size_t from, std::size_t count)
{
    std::string text;
    for (std::size_t i = from; i < from + count; i++) {
        const Loan &loan = loans[i % loans.size()];
#ifdef PLUS
        text = text + "Book " + std::to_string(loan.book) + " is due on day " + std::to_string(loan.day) + "\n";
#else
        text += "Book ";
        text += std::to_string(loan.book);
        text += " is due on day ";
        text += std::to_string(loan.day);
        text += "\n";
#endif
    }
    return text;
}

struct Wish {
    std::uint32_t rank, reader;
    bool operator<(const Wish &other) const
    {
        return rank != other.rank ? rank < other.rank : reader < other.reader;
    }
};

std::uint64_t served(std::uint32_t count)
{
    std::uint64_t sum = 0;
#ifdef RESORTED
    std::vector<Wish> wishes;
#else
    std::priority_queue<Wish> wishes;
#endif
    for (std::uint32_t i = 0; i < count; i++) {
        for (int new_ones = 0; new_ones < 2; new_ones++) {
            Wish wish{drawn(100000), i};
#ifdef RESORTED
            wishes.push_back(wish);
            std::sort(wishes.begin(), wishes.end());
#else
            wishes.push(wish);
#endif
        }
#ifdef RESORTED
        sum = sum * 5 + wishes.back().reader;
        wishes.pop_back();
#else
        sum = sum * 5 + wishes.top().reader;
        wishes.pop();
#endif
    }
    return sum;
}

std::uint64_t titles(std::uint32_t count)
{
    std::vector<std::uint64_t> found;
#ifdef OTHER
    std::uint32_t made = 0;
    while (made != count) {
        const std::uint64_t title = 2654435761u * drawn(count);
        found.push_back(title);
        ++made;
    }
#else
    for (std::uint32_t i = 0; i < count; i++)
        found.push_back(drawn(count) * 2654435761u);
#endif
#ifdef TREE
    std::set<std::uint64_t> kinds(found.begin(), found.end());
#else
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    const std::vector<std::uint64_t> &kinds = found;
#endif
#ifdef OTHER
    std::uint64_t mixed = kinds.size();
    for (auto next = kinds.begin(); next != kinds.end(); ++next)
        mixed = *next + 7 * mixed;
    return mixed;
#else
    std::uint64_t sum = kinds.size();
    for (std::uint64_t kind : kinds)
        sum = sum * 7 + kind;
    return sum;
#endif
}

} // namespace

int main()
{
    std::vector<Loan> loans;
    for (std::uint32_t i = 0; i < LOANS; i++)
        loans.push_back({drawn(90000), drawn(5000), drawn(365)});
    std::uint64_t sum = 0;
    for (std::uint32_t month = 1; month <= 12; month++)
        sum = sum * 11 + overdue(loans, month * 30);
    for (std::size_t i = 0; i < LETTERS; i++)
        sum += letter(loans, i * 100, 1500).size();
    sum = sum * 13 + served(QUEUED);
    for (int round = 0; round < 4; round++)
        sum = sum * 17 + titles(TITLES);
    std::printf("%llu\n", static_cast<unsigned long long>(sum));
}
