// A drawing of many shapes: areas, outlines and prices of paint.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

struct Shape {
    virtual ~Shape() = default;
    virtual int kind() const = 0;
    int colour = 0;
};

struct Circle : Shape {
    int radius = 1;
    int kind() const override { return 0; }
};

struct Box : Shape {
    int wide = 1, high = 1;
    int kind() const override { return 1; }
};

struct Line : Shape {
    int length = 1;
    int kind() const override { return 2; }
};

struct Text : Shape {
    int letters = 0;
    int kind() const override { return 3; }
};

#ifndef PICTURES
#define PICTURES 500
#endif

class Drawing {
public:
    explicit Drawing(unsigned seed) : seed_(seed) {}

    void add(int count)
    {
        for (int i = 0; i < count; i++) {
            switch (drawn(4)) {
            case 0: {
                auto circle = std::make_unique<Circle>();
                circle->radius = 1 + drawn(20);
                shapes_.push_back(std::move(circle));
                break;
            }
            case 1: {
                auto box = std::make_unique<Box>();
                box->wide = 1 + drawn(30), box->high = 1 + drawn(30);
                shapes_.push_back(std::move(box));
                break;
            }
            case 2: {
                auto line = std::make_unique<Line>();
                line->length = 1 + drawn(50);
                shapes_.push_back(std::move(line));
                break;
            }
            default: {
                auto text = std::make_unique<Text>();
                text->letters = drawn(60);
                shapes_.push_back(std::move(text));
            }
            }
            shapes_.back()->colour = drawn(12);
        }
    }

    int painted(const Shape &shape) const
    {
#ifdef CASTS
        if (auto *circle = dynamic_cast<const Circle *>(&shape))
            return circle->radius * circle->radius * 3;
        if (auto *box = dynamic_cast<const Box *>(&shape))
            return box->wide * box->high;
        if (auto *line = dynamic_cast<const Line *>(&shape))
            return line->length;
        if (auto *text = dynamic_cast<const Text *>(&shape))
            return text->letters * 5;
        return 0;
#else
        switch (shape.kind()) {
        case 0: {
            auto &circle = static_cast<const Circle &>(shape);
            return circle.radius * circle.radius * 3;
        }
        case 1: {
            auto &box = static_cast<const Box &>(shape);
            return box.wide * box.high;
        }
        case 2: return static_cast<const Line &>(shape).length;
        case 3: return static_cast<const Text &>(shape).letters * 5;
        }
        return 0;
#endif
    }

    std::uint64_t paint(int rounds)
    {
        std::uint64_t sum = 0;
        for (int round = 0; round < rounds; round++)
            for (std::size_t i = 0; i < shapes_.size(); i++) {
                int area = painted(*shapes_[i]);
                sum = sum * 31 + static_cast<unsigned>(area) * (1 + shapes_[i]->colour);
            }
        return sum;
    }

private:
    int drawn(int below)
    {
        seed_ = seed_ * 1664525 + 1013904223;
        return static_cast<int>((seed_ >> 8) % static_cast<unsigned>(below));
    }

    unsigned seed_;
    std::vector<std::unique_ptr<Shape>> shapes_;
};

int main()
{
    Drawing drawing(8);
    drawing.add(20000);
    std::printf("%llu\n", static_cast<unsigned long long>(drawing.paint(PICTURES)));
}
