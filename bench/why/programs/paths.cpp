// Joins names to paths and adds up their lengths.
#include <cstdio>
#include <string>
#include <vector>

#ifndef PARAMETER
#define PARAMETER const std::string &
#endif

__attribute__((noinline)) unsigned long depth(PARAMETER path)
{
    return path.size() + static_cast<unsigned char>(path.back());
}

int main()
{
    std::vector<std::string> paths;
    for (int i = 0; i < 1000; i++)
        paths.push_back("/srv/library/shelves/books/of/many/kinds/" + std::to_string(i));
    unsigned long sum = 0;
    for (int round = 0; round < 4000; round++)
        for (const auto &path : paths)
            sum += depth(path);
    std::printf("%lu\n", sum);
}
