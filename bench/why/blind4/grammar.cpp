// Reads log lines and counts the kinds of their events by a pattern.
#include <cstdio>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace {

std::vector<std::string> load() {
    static const char *const kinds[] = {"start", "stop", "warn", "error"};
    std::vector<std::string> lines;
    for (int i = 0; i < 2000; i++) {
        char line[64];
        std::snprintf(line, sizeof line, "%02d:%02d %s id=%d", i / 60 % 24, i % 60, kinds[i * 7 % 4], i);
        lines.emplace_back(line);
    }
    return lines;
}

bool event(const std::string &line, std::string &kind) {
#ifdef EACH
    const std::regex pattern("([0-9]+):([0-9]+) ([a-z]+) .*");
#else
    static const std::regex pattern("([0-9]+):([0-9]+) ([a-z]+) .*");
#endif
    std::smatch match;
    if (!std::regex_match(line, match, pattern))
        return false;
    kind = match[3];
    return true;
}

}  // namespace

int main() {
    std::map<std::string, int> counts;
    std::string kind;
    for (const auto &line : load())
        if (event(line, kind))
            counts[kind]++;
    for (const auto &[name, count] : counts)
        std::printf("%s %d\n", name.c_str(), count);
}
