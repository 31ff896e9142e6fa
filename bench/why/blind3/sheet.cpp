// Computes the formulas of a sheet, kept as trees of nodes, while a thread writes the progress.
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

struct Node;
#ifdef SHARED
using Given = std::shared_ptr<const Node>;
#else
using Given = const std::shared_ptr<const Node> &;
#endif

struct Node {
    char kind;
    double number = 0;
    std::shared_ptr<const Node> left{}, right{};
};

static double value(Given node, const std::vector<double> &cells) {
    switch (node->kind) {
    case 'n':
        return node->number;
    case 'c':
        return cells[static_cast<std::size_t>(node->number)];
    case '+':
        return value(node->left, cells) + value(node->right, cells);
    case '-':
        return value(node->left, cells) - value(node->right, cells);
    default:
        return value(node->left, cells) * value(node->right, cells);
    }
}

static std::shared_ptr<const Node> formula(unsigned &state, int depth) {
    state = state * 1664525u + 1013904223u;
    const unsigned choice = state >> 20;
    if (depth == 0)
        return std::make_shared<Node>(choice & 1 ? Node{'c', double(choice % 97)}
                                                 : Node{'n', choice / 4096.0});
    auto left = formula(state, depth - 1);
    auto right = formula(state, depth - 1);
    return std::make_shared<Node>(Node{"+-*"[choice % 3], 0, left, right});
}

int main() {
    std::atomic<int> progress{0};
    std::atomic<bool> ended{false};
    std::thread shown([&] {
        progress.wait(0);
        while (!ended.load())
            progress.wait(progress.load());
    });
    std::vector<double> cells;
    for (int i = 0; i < 97; i++)
        cells.push_back(i / 97.0);
    unsigned state = 23;
    std::vector<std::shared_ptr<const Node>> formulas;
    for (int i = 0; i < 500; i++)
        formulas.push_back(formula(state, 6));
    double sum = 0;
    for (int turn = 0; turn < 150; turn++) {
        for (const auto &node : formulas)
            sum += value(node, cells);
        cells[turn % 97] += 0.01;
    }
    ended = true;
    progress++;
    progress.notify_all();
    shown.join();
    std::printf("%.6f\n", sum);
}
