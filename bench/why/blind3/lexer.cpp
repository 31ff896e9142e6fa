// Splits the source of a small language into tokens and counts them by kind.
#include <cctype>
#include <cstdio>
#include <memory>
#include <string>

#ifdef READER
struct Reader {
    virtual ~Reader() = default;
    virtual int peek() const = 0;
    virtual void advance() = 0;
};

class Text : public Reader {
    const std::string &text;
    std::size_t at = 0;

public:
    explicit Text(const std::string &given) : text(given) {}
    int peek() const override { return at < text.size() ? static_cast<unsigned char>(text[at]) : -1; }
    void advance() override { at++; }
};

// Standard input, when there is no text.
class Console : public Reader {
    int next = std::getchar();

public:
    int peek() const override { return next; }
    void advance() override { next = std::getchar(); }
};

static std::unique_ptr<Reader> reader(const std::string &text) {
    if (text.empty())
        return std::make_unique<Console>();
    return std::make_unique<Text>(text);
}
using Input = Reader;
#else
class Input {
    const std::string &text;
    std::size_t at = 0;

public:
    explicit Input(const std::string &given) : text(given) {}
    int peek() const { return at < text.size() ? static_cast<unsigned char>(text[at]) : -1; }
    void advance() { at++; }
};

static std::unique_ptr<Input> reader(const std::string &text) { return std::make_unique<Input>(text); }
#endif

enum Kind { NAME, NUMBER, STRING, SIGN, END, KINDS };

static bool letter(int c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
static bool digit(int c) { return c >= '0' && c <= '9'; }

#ifndef OTHER
[[gnu::noinline]] static Kind token(Input &input) {
    while (input.peek() == ' ' || input.peek() == '\n')
        input.advance();
    if (input.peek() < 0)
        return END;
    if (letter(input.peek())) {
        while (letter(input.peek()) || digit(input.peek()))
            input.advance();
        return NAME;
    }
    if (digit(input.peek())) {
        while (digit(input.peek()))
            input.advance();
        return NUMBER;
    }
    if (input.peek() == '"') {
        input.advance();
        while (input.peek() != '"')
            input.advance();
        input.advance();
        return STRING;
    }
    input.advance();
    return SIGN;
}
#define NEXT token
#else
// The next token of the text, and behind it.
[[gnu::noinline]] static Kind next_of(Input &from) {
    for (; from.peek() == ' ' || from.peek() == '\n';) {
        from.advance();
    }
    const int first = from.peek();
    if (first < 0) {
        return END;
    } else if (letter(first)) {
        for (; letter(from.peek()) || digit(from.peek());) {
            from.advance();
        }
        return NAME;
    } else if (digit(first)) {
        for (; digit(from.peek());) {
            from.advance();
        }
        return NUMBER;
    } else if (first == '"') {
        for (from.advance(); from.peek() != '"';) {
            from.advance();
        }
        from.advance();
        return STRING;
    }
    from.advance();
    return SIGN;
}
#define NEXT next_of
#endif

static std::string source() {
    std::string text;
    for (int i = 0; i < 12000; i++) {
        const std::string n = std::to_string(i);
        text += "let value" + n + " = lookup(table, \"key number " + n + "\") + " + n + " * (width - 17);\n";
    }
    return text;
}

int main() {
    const std::string text = source();
    long counts[KINDS] = {};
    for (int round = 0; round < 50; round++) {
        const auto input = reader(text);
        for (Kind kind = NAME; kind != END;) {
            kind = NEXT(*input);
            counts[kind]++;
        }
    }
    std::printf("%ld %ld %ld %ld\n", counts[NAME], counts[NUMBER], counts[STRING], counts[SIGN]);
}
