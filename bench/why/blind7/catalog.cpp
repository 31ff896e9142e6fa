// The catalogue of a library: words of titles, in small letters, lead to books, and readers ask for them.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <locale>
#include <string>
#include <unordered_map>
#include <vector>

static std::string lowered(const std::string &word) {
    std::string result = word;
#ifdef LOCALE
    for (char &c : result)
        c = std::tolower(c, std::locale());
#else
    for (char &c : result)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
#endif
    return result;
}

class Index {
public:
    void add(const std::string &title, uint32_t book) {
        for (const std::string &word : words(title))
            books_[word].push_back(book);
    }

    // The books with all words of the question.
    std::vector<uint32_t> asked(const std::string &question) const {
        std::vector<uint32_t> result;
        bool first = true;
        for (const std::string &word : words(question)) {
            auto found = books_.find(word);
            if (found == books_.end())
                return {};
            if (first) {
                result = found->second;
                first = false;
                continue;
            }
            std::vector<uint32_t> both;
            std::set_intersection(result.begin(), result.end(), found->second.begin(), found->second.end(),
                                  std::back_inserter(both));
            result = std::move(both);
        }
        return result;
    }

    size_t size() const { return books_.size(); }

private:
    static std::vector<std::string> words(const std::string &text) {
        std::vector<std::string> result;
        size_t at = 0;
        while (at < text.size()) {
            size_t end = text.find(' ', at);
            if (end == std::string::npos)
                end = text.size();
            if (end > at)
                result.push_back(lowered(text.substr(at, end - at)));
            at = end + 1;
        }
        return result;
    }

    std::unordered_map<std::string, std::vector<uint32_t>> books_;
};

class Titles {
public:
    std::string next() {
        static const char *const starts[] = {"Histo", "Garde", "Music", "Stell", "River", "Paint", "Alpin", "Winte"};
        static const char *const ends[] = {"ry", "ning", "al", "ar", "s", "er", "e", "r"};
        std::string title;
        for (int i = 0; i < 4; i++) {
            seed_ = seed_ * 1664525 + 1013904223;
            title += starts[seed_ >> 29];
            title += ends[seed_ >> 26 & 7];
            title += std::to_string(seed_ >> 8 & 63);
            title += ' ';
        }
        return title;
    }

private:
    uint32_t seed_ = 4;
};

int main() {
    Index index;
    Titles titles;
    std::vector<std::string> some;
    for (uint32_t book = 0; book < 30000; book++) {
        std::string title = titles.next();
        index.add(title, book);
        if (book % 4 == 0)
            some.push_back(title.substr(0, title.find(' ', title.find(' ') + 1)));
    }
    uint64_t digest = 0;
    size_t answers = 0;
    for (int round = 0; round < 16; round++) {
        for (const std::string &question : some) {
            for (uint32_t book : index.asked(question))
                digest = digest * 31 + book;
            answers++;
        }
    }
    std::printf("%zu words, %zu questions, %016llx\n", index.size(), answers, static_cast<unsigned long long>(digest));
}
