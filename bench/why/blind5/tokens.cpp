// Counts the calls of functions in a program's text: cuts it into tokens and keeps them in a tree.
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#ifdef LIBRARY
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

// A library for LD_PRELOAD that keeps a table of what is allocated, to tell at any time what leaks.
static std::mutex guard;
static struct Live {
    void *at;
    size_t size;
} live[1 << 18];

static Live *slot(void *p) {
    size_t at = (reinterpret_cast<uintptr_t>(p) * 0x9E3779B97F4A7C15u) >> 46;
    for (int k = 0; k < 8 && live[at].at && live[at].at != p; k++)
        at = (at + 1) % (1 << 18);
    return &live[at];
}

extern "C" void *malloc(size_t n) {
    static auto real = reinterpret_cast<void *(*)(size_t)>(dlsym(RTLD_NEXT, "malloc"));
    void *p = real(n);
    std::lock_guard<std::mutex> lock(guard);
    *slot(p) = {p, n};
    return p;
}

extern "C" void free(void *p) {
    static auto real = reinterpret_cast<void (*)(void *)>(dlsym(RTLD_NEXT, "free"));
    if (p) {
        std::lock_guard<std::mutex> lock(guard);
        *slot(p) = {p, 0};
    }
    real(p);
}
#else

struct Token {
    enum Kind { Name, Number, Sign } kind;
    std::string text;
};

struct Node {
    std::string name;
    std::vector<std::unique_ptr<Node>> children;
};

class Scanner {
  public:
    explicit Scanner(std::string_view text) : text_(text) {}

    std::unique_ptr<Token> next() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
            at_++;
        if (at_ == text_.size())
            return nullptr;
        size_t from = at_++;
        auto kind = Token::Sign;
        if (std::isalpha(static_cast<unsigned char>(text_[from])) || text_[from] == '_') {
            kind = Token::Name;
            while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
                at_++;
        } else if (std::isdigit(static_cast<unsigned char>(text_[from]))) {
            kind = Token::Number;
            while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])))
                at_++;
        }
        return std::make_unique<Token>(Token{kind, std::string(text_.substr(from, at_ - from))});
    }

  private:
    std::string_view text_;
    size_t at_ = 0;
};

static std::unique_ptr<Node> parsed(Scanner &scanner, std::map<std::string, int> &calls) {
    auto root = std::make_unique<Node>(Node{"file", {}});
    std::vector<Node *> open{root.get()};
    std::unique_ptr<Token> last;
    while (auto token = scanner.next()) {
        if (token->text == "(" && last && last->kind == Token::Name) {
            calls[last->text]++;
            open.back()->children.push_back(std::make_unique<Node>(Node{last->text, {}}));
            open.push_back(open.back()->children.back().get());
        } else if (token->text == ")" && open.size() > 1) {
            open.pop_back();
        }
        last = std::move(token);
    }
    return root;
}

static int depth(const Node &node) {
    int most = 0;
    for (const auto &child : node.children)
        most = std::max(most, depth(*child));
    return most + 1;
}

int main() {
    std::string text;
    for (int i = 0; i < 20000; i++)
        text += "value_of_the_sample = interpolate_linearly_" + std::to_string(i % 40) + "(first_measurement(" + std::to_string(i) + "), scale * 3);\n";
    std::map<std::string, int> calls;
    int deepest = 0;
    for (int again = 0; again < 9; again++) {
        Scanner scanner(text);
        deepest = depth(*parsed(scanner, calls));
    }
    std::printf("%zu functions, depth %d, %d\n", calls.size(), deepest, calls["first_measurement"]);
}
#endif
