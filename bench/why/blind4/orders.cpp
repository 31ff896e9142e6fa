// A day of orders kept in the order of their prices; the book is valued again and again.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <list>
#include <memory>
#include <vector>

struct Order {
    int64_t price;
    int64_t quantity;
    int64_t owner;
};

#ifdef LIST
using Book = std::list<Order>;
#else
using Book = std::vector<Order>;
#endif

static Book make_book(int count) {
    Book book;
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < count; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        book.push_back({int64_t(state >> 40), int64_t(state & 1023), i});
    }
    return book;
}

static void sort_by_price(Book &book) {
    auto cheaper = [](const Order &a, const Order &b) { return a.price < b.price; };
#ifdef LIST
    book.sort(cheaper);
#else
    std::stable_sort(book.begin(), book.end(), cheaper);
#endif
}

// How much is had for an amount of money, the cheapest first.
static int64_t bought(const Book &book, int64_t money) {
    int64_t quantity = 0;
    for (const Order &order : book) {
        int64_t cost = order.price * order.quantity;
        if (cost > money)
            break;
        money -= cost;
        quantity += order.quantity;
    }
    return quantity;
}

int main() {
    Book book = make_book(60000);
    sort_by_price(book);
    int64_t total = 0;
    for (int day = 0; day < 150; day++)
        total += bought(book, INT64_MAX / 2 + day);
    std::printf("%lld\n", (long long)total);
}
