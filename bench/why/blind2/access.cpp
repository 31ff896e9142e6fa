// Reads lines of key=value fields, makes an event of each, and sums up what the events cost.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#ifdef OWNED
using Text = std::string;
#else
using Text = std::string_view;
#endif

struct Event {
    enum Kind { login, transfer, fault, notice } kind;
    uint32_t user;
    Event(Kind k, uint32_t u) : kind(k), user(u) {}
    virtual ~Event() = default;
};

struct Login : Event {
    explicit Login(uint32_t u) : Event(login, u) {}
    uint32_t tries = 2;
};

struct Transfer : Event {
    Transfer(uint32_t u, uint32_t n) : Event(transfer, u), bytes(n) {}
    uint32_t bytes;
};

struct Fault : Event {
    Fault(uint32_t u, uint32_t c) : Event(fault, u), code(c) {}
    uint32_t code;
};

struct Notice : Event {
    explicit Notice(uint32_t u) : Event(notice, u) {}
    uint32_t level = 1;
};

static std::vector<std::string> lines() {
    static const char *const kinds[] = {"interactive-login-session", "transfer-of-one-document", "fault-of-the-storage", "notice-to-the-operator"};
    std::vector<std::string> all;
    uint32_t seed = 17;
    for (int i = 0; i < 30000; i++) {
        seed = seed * 1664525u + 1013904223u;
        all.push_back("time=2026-03-" + std::to_string(10 + (seed >> 28)) + "T08:15:00.000Z;what=" + kinds[seed >> 30] +
                      ";user=" + std::to_string(seed >> 18) + ";agent=batch-runner-of-the-night-shift;amount=" + std::to_string(seed >> 24));
    }
    return all;
}

static size_t boundary(std::string_view line, size_t from) {
#ifdef ANYOF
    return line.find_first_of(";", from);
#else
    return line.find(';', from);
#endif
}

static uint32_t number(const Text &text) {
    uint32_t n = 0;
    for (char c : text)
        n = n * 10 + static_cast<uint32_t>(c - '0');
    return n;
}

static std::unique_ptr<Event> parsed(const std::string &line) {
    Text what, agent, when;
    uint32_t user = 0, amount = 0;
    std::string_view whole = line;
    for (size_t from = 0; from < whole.size();) {
        size_t end = boundary(whole, from);
        if (end == std::string_view::npos)
            end = whole.size();
        size_t equals = whole.find('=', from);
        Text value(whole.substr(equals + 1, end - equals - 1));
        switch (whole[from]) {
        case 't': when = value; break;
        case 'w': what = value; break;
        case 'u': user = number(value); break;
        default: whole[from + 1] == 'g' ? void(agent = value) : void(amount = number(value));
        }
        from = end + 1;
    }
    user += static_cast<uint32_t>(when.size() + agent.size());
    switch (what[0]) {
    case 'i': return std::make_unique<Login>(user);
    case 't': return std::make_unique<Transfer>(user, amount);
    case 'f': return std::make_unique<Fault>(user, amount);
    default: return std::make_unique<Notice>(user);
    }
}

static uint64_t cost(const Event *event) {
#ifdef CAST
    if (auto *l = dynamic_cast<const Login *>(event))
        return l->tries * 5 + l->user;
    if (auto *t = dynamic_cast<const Transfer *>(event))
        return t->bytes / 4 + t->user;
    if (auto *f = dynamic_cast<const Fault *>(event))
        return f->code * 3 + f->user;
    if (auto *n = dynamic_cast<const Notice *>(event))
        return n->level + n->user;
#else
    switch (event->kind) {
    case Event::login: {
        auto *l = static_cast<const Login *>(event);
        return l->tries * 5 + l->user;
    }
    case Event::transfer: {
        auto *t = static_cast<const Transfer *>(event);
        return t->bytes / 4 + t->user;
    }
    case Event::fault: {
        auto *f = static_cast<const Fault *>(event);
        return f->code * 3 + f->user;
    }
    case Event::notice: {
        auto *n = static_cast<const Notice *>(event);
        return n->level + n->user;
    }
    }
#endif
    return 0;
}

int main() {
    std::vector<std::string> all = lines();
    uint64_t sum = 0;
    for (int round = 0; round < 10; round++) {
        std::vector<std::unique_ptr<Event>> events;
        events.reserve(all.size());
        for (const std::string &line : all)
            events.push_back(parsed(line));
        for (int tariff = 0; tariff < 3; tariff++)
            for (const auto &event : events)
                sum += cost(event.get());
    }
    std::printf("%llu\n", static_cast<unsigned long long>(sum));
}
