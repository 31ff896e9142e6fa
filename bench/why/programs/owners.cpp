// Hands a document from one reader to the next.
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#ifndef PARAMETER
#define PARAMETER const std::shared_ptr<Document> &
#endif

struct Document {
    int pages;
};

__attribute__((noinline)) int read(PARAMETER document, int page)
{
    return document->pages - page;
}

int main()
{
    auto document = std::make_shared<Document>(Document{100});
    std::thread([&] { document->pages++; }).join();
    long sum = 0;
    for (int i = 0; i < 20000000; i++)
        sum += read(document, i & 63);
    std::printf("%ld\n", sum);
}
