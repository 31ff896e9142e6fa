// A teller: commands are read from the standard input, and each is answered by a line.
#include <cstdio>
#include <iostream>
#include <map>
#include <string>

int main(int, char **names)
{
    std::string input = names[0], word;
    input += ".in";
    if (FILE *out = std::fopen(input.c_str(), "r"))
        std::fclose(out);
    else
        return 2;
    if (!std::freopen(input.c_str(), "r", stdin))
        return 2;
    std::ios::sync_with_stdio(false);
#ifndef TIED
    std::cin.tie(nullptr);
#endif
    std::map<std::string, long> accounts;
    long amount = 0, count = 0;
    while (std::cin >> word >> amount) {
        long &account = accounts[word];
        account += amount;
        std::cout << word << ' ' << account << '\n';
        count++;
    }
    std::cout << count << ' ' << accounts.size() << '\n';
}
