// Reads numbers from the standard input, which is a file of readings here, and sums them.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <unistd.h>

static void prepare() {
    char name[] = "meters-XXXXXX";
    const int file = mkstemp(name);
    std::FILE *out = fdopen(dup(file), "w");
    unsigned state = 29;
    for (int i = 0; i < 400000; i++) {
        state = state * 1664525u + 1013904223u;
        std::fprintf(out, "%u %u\n", state >> 22, state >> 10 & 65535);
    }
    std::fclose(out);
    lseek(file, 0, SEEK_SET);
    dup2(file, 0);
    unlink(name);
}

int main() {
    prepare();
#ifndef TOGETHER
    std::ios::sync_with_stdio(false);
#endif
    std::cin.tie(nullptr);
    long sums[1024] = {};
    unsigned meter, reading;
    while (std::cin >> meter >> reading)
        sums[meter % 1024] += reading;
    long most = 0;
    for (long sum : sums)
        most = sum > most ? sum : most;
    std::printf("%ld\n", most);
}
