// Adds up the areas of shapes.
#include <cstdio>
#include <memory>
#include <vector>

#ifndef SEALED
#define SEALED
#endif

struct Shape {
    virtual ~Shape() = default;
    virtual int area(int scale) const = 0;
};

struct Box SEALED : Shape {
    int width, height;
    Box(int w, int h) : width(w), height(h) {}
    int area(int scale) const override { return width * height + scale; }
};

__attribute__((noinline)) long total(const std::vector<Box *> &boxes, int scale)
{
    long sum = 0;
    for (const Box *box : boxes)
        sum += box->area(scale);
    return sum;
}

int main()
{
    std::vector<std::unique_ptr<Box>> store;
    std::vector<Box *> boxes;
    for (int i = 0; i < 1000; i++) {
        store.push_back(std::make_unique<Box>(i, i + 1));
        boxes.push_back(store.back().get());
    }
    long sum = 0;
    for (int round = 0; round < 100000; round++)
        sum += total(boxes, round);
    std::printf("%ld\n", sum);
}
