// A stock exchange's book of orders: asked again and again how much could be bought below a price.
#include <cstdint>
#include <cstdio>
#include <vector>

#ifdef RECORDS
struct Order {
    std::int32_t price;
    std::int32_t quantity;
    char account[24], note[32];
};

class Book {
    std::vector<Order> orders;

public:
    explicit Book(std::size_t size) { orders.reserve(size); }

    void add(std::int32_t price, std::int32_t quantity, unsigned account) {
        Order order{price, quantity, {}, {}};
        std::snprintf(order.account, sizeof order.account, "C%08u", account);
        orders.push_back(order);
    }

    [[gnu::noinline]] std::int64_t below(std::int32_t limit) const {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < orders.size(); i++) {
            sum += (orders[i].price < limit) * orders[i].quantity;
        }
        return sum;
    }
};
#else
struct Account {
    char name[24], note[32];
};

class Book {
    std::vector<std::int32_t> prices;
    std::vector<std::int32_t> quantities;
    std::vector<Account> accounts;

public:
    explicit Book(std::size_t size) {
        prices.reserve(size);
        quantities.reserve(size);
        accounts.reserve(size);
    }

    void add(std::int32_t price, std::int32_t quantity, unsigned account) {
        Account name{};
        std::snprintf(name.name, sizeof name.name, "C%08u", account);
        prices.push_back(price);
        quantities.push_back(quantity);
        accounts.push_back(name);
    }

    [[gnu::noinline]] std::int64_t below(std::int32_t limit) const {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < prices.size(); i++) {
            sum += (prices[i] < limit) * quantities[i];
        }
        return sum;
    }
};
#endif

int main() {
    Book book(400000);
    unsigned state = 11;
    for (int i = 0; i < 400000; i++) {
        state = state * 1664525u + 1013904223u;
        book.add(9000 + static_cast<int>(state >> 16) % 2000, 1 + (state >> 8) % 500, state >> 12);
    }
    std::int64_t sum = 0;
    for (int question = 0; question < 150; question++) {
        sum += book.below(9500 + question * 5);
    }
    std::printf("%lld\n", static_cast<long long>(sum));
}
