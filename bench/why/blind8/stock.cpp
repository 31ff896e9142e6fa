// What a shop has in stock: articles by number, their prices, and what was sold.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

struct Article {
    std::uint32_t number, price, sold, left;
    char name[112], maker[112];
};

static std::uint32_t seed = 11;

static std::uint32_t drawn(std::uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

class Stock {
public:
    explicit Stock(int count)
    {
#ifdef LOADED
        by_number_.max_load_factor(24);
#endif
        for (int i = 0; i < count; i++) {
            Article article{};
            article.number = 1000003u * static_cast<std::uint32_t>(i) % 16777213u;
            article.price = 1 + drawn(900);
            article.left = 100 + drawn(100);
            std::snprintf(article.name, sizeof article.name, "article %u", article.number);
            std::snprintf(article.maker, sizeof article.maker, "maker %u", article.number % 97);
            by_number_[article.number] = static_cast<int>(articles_.size());
            articles_.push_back(article);
        }
    }

    std::uint64_t sell(std::uint32_t number, std::uint32_t count)
    {
#ifdef THRICE
        if (by_number_.count(number) == 0)
            return 0;
        if (articles_[by_number_.at(number)].left < count)
            articles_[by_number_.at(number)].left += 200;
        articles_[by_number_[number]].left -= count;
        articles_[by_number_[number]].sold += count;
        return std::uint64_t{count} * articles_[by_number_[number]].price;
#else
        auto found = by_number_.find(number);
        if (found == by_number_.end())
            return 0;
        Article &article = articles_[found->second];
        if (article.left < count)
            article.left += 200;
        article.left -= count;
        article.sold += count;
        return std::uint64_t{count} * article.price;
#endif
    }

    std::uint64_t ranked()
    {
        auto before = [](const Article &a, const Article &b) {
            return a.sold != b.sold ? a.sold > b.sold : a.number < b.number;
        };
        std::uint64_t digest = 0, place = 0;
#ifdef BULKY
        std::vector<Article> order(articles_);
        std::sort(order.begin(), order.end(), before);
        for (const Article &article : order)
            digest += article.number * ++place;
#else
        std::vector<const Article *> order;
        for (const Article &article : articles_)
            order.push_back(&article);
        std::sort(order.begin(), order.end(), [&](auto *a, auto *b) { return before(*a, *b); });
        for (const Article *article : order)
            digest += article->number * ++place;
#endif
        return digest;
    }

private:
    std::vector<Article> articles_;
    std::unordered_map<std::uint32_t, int> by_number_;
};

#ifndef SALES
#define SALES 1500000
#endif
#ifndef RANKS
#define RANKS 1
#endif

int main()
{
    Stock stock(9000);
    std::uint64_t money = 0, digest = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        for (int i = 0; i < SALES / RANKS; i++)
            money += stock.sell(1000003u * drawn(9100) % 16777213u, 1 + drawn(9));
        digest = digest * 31 + stock.ranked();
    }
    std::printf("%llu %llu\n", static_cast<unsigned long long>(money), static_cast<unsigned long long>(digest));
}
