// Summarises an access log that it makes itself; each macro brings one regression.
#include <charconv>
#include <iostream>
#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>
using namespace std;

#ifndef LINES
#define LINES 30000
#endif

struct Entry {
    string host, path;
    long status = 0, bytes = 0;
    vector<string> tags;
};

#ifdef WEAKHASH
struct Hash {
    size_t operator()(const string &s) const { return s.size() * 31 + s[11]; }
};
#else
using Hash = hash<string>;
#endif
using Totals = unordered_map<string, long, Hash>;
#ifdef BYVALUE
using Passed = Entry;
#else
using Passed = const Entry &;
#endif

static string synthesize() {
    string all;
    unsigned x = 7;
    for (int i = 0; i < LINES; i++) {
        x = x * 1103515245u + 12345u;
        all += "10.0." + to_string(x >> 24) + "." + to_string((x >> 16) & 255) + " /shop/item/" +
               to_string((x >> 8) % 4000) + "/details.html " + ((x >> 20) % 4 ? "200 " : "404 ") +
               ((x >> 18) % 4 ? to_string(x % 90000) : "-") + "\n";
    }
    return all;
}

static long number(string_view text) {
#ifdef THROWING
    try {
        return stol(string(text));
    } catch (const invalid_argument &) {
        return 0;
    }
#else
    long value = 0;
    from_chars(text.data(), text.data() + text.size(), value);
    return value;
#endif
}

static Entry parse(string_view line) {
    Entry e;
    size_t a = line.find(' '), b = line.find(' ', a + 1), c = line.find(' ', b + 1);
    e.host = line.substr(0, a);
    e.path = line.substr(a + 1, b - a - 1);
    e.status = number(line.substr(b + 1, c - b - 1));
    e.bytes = number(line.substr(c + 1));
    e.tags = {"web", "a tag that does not fit inside"};
    return e;
}

static bool interesting(const Entry &e) {
#ifdef RECOMPILE
    regex pattern("/shop/item/[0-9]+7/");
#else
    static const regex pattern("/shop/item/[0-9]+7/");
#endif
    return e.bytes % 16 == 0 && regex_search(e.path, pattern);
}

__attribute__((noinline)) static long weight(Passed e) { return e.bytes + (e.status == 404 ? 1 : 0) + e.tags.size(); }

int main() {
    const string text = synthesize();
    Totals totals;
    vector<Entry> kept;
    long sum = 0, matches = 0;
#ifndef GROWING
    kept.reserve(LINES);
#endif
    for (size_t at = 0; at < text.size();) {
        size_t end = text.find('\n', at);
        Entry e = parse(string_view(text).substr(at, end - at));
        at = end + 1;
        totals[e.path] += e.bytes;
        sum += weight(e) + weight(e) / 2;
        matches += interesting(e);
        kept.push_back(std::move(e));
    }
    for (const Entry &e : kept) {
#ifdef ENDL
        cout << e.host << ' ' << e.bytes << endl;
#else
        cout << e.host << ' ' << e.bytes << '\n';
#endif
    }
    cout << totals.size() << ' ' << sum << ' ' << matches << '\n';
}
