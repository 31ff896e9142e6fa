// Finds the next free slot after a wish in a calendar whose slots come and go.
#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

struct Wish {
    int minute;
    int length;
};

class Calendar {
  public:
    explicit Calendar(int minutes) : end(minutes) {
        for (int m = 0; m < minutes; m += 15)
            free.insert(m);
    }

    // Books the first free slots at or after the wish; false if the day is over.
    bool booked(const Wish &wish) {
#ifdef GENERAL
        auto at = std::lower_bound(free.begin(), free.end(), wish.minute);
#else
        auto at = free.lower_bound(wish.minute);
#endif
        if (at == free.end())
            return false;
        int start = *at, next = start;
        while (at != free.end() && *at == next && next < start + wish.length) {
            at = free.erase(at);
            next += 15;
        }
        waited += start - wish.minute;
        taken.push_back({start, next - start});
        return true;
    }

    // Those who were first give up their slots.
    void cancelled(size_t count) {
        for (size_t i = 0; i < count && gone < taken.size(); i++, gone++)
            for (int m = taken[gone].minute; m < taken[gone].minute + taken[gone].length; m += 15)
                free.insert(m);
    }

    long waiting() const { return waited; }
    size_t slots() const { return free.size(); }
    const std::vector<Wish> &kept() const { return taken; }

  private:
    std::set<int> free;
    std::vector<Wish> taken;
    size_t gone = 0;
    long waited = 0;
    int end;
};

#ifdef TABLE
static std::string label(int minute) {
    const std::vector<std::string> days = {"Monday, in the hall", "Tuesday, in the hall", "Wednesday, in the hall",
                                           "Thursday, in the hall", "Friday, in the hall", "Saturday, in the yard",
                                           "Sunday, in the yard"};
#else
static std::string label(int minute) {
    static const std::vector<std::string> days = {"Monday, in the hall", "Tuesday, in the hall",
                                                  "Wednesday, in the hall", "Thursday, in the hall",
                                                  "Friday, in the hall", "Saturday, in the yard",
                                                  "Sunday, in the yard"};
#endif
    return days[static_cast<size_t>(minute / 1440 % 7)];
}

int main() {
    Calendar calendar(48 * 15);
    unsigned seed = 31;
    long refused = 0;
    for (int i = 0; i < 900000; i++) {
        seed = seed * 1664525 + 1013904223;
        Wish wish{static_cast<int>((seed >> 8) % (48 * 15)), 15 + static_cast<int>(seed >> 30) * 15};
        refused += !calendar.booked(wish);
        if (i % 8 == 7)
            calendar.cancelled(8);
    }
    size_t letters = 0;
    for (const Wish &w : calendar.kept())
        letters += label(w.minute).size();
    std::printf("%ld refused, %ld waited, %zu free, %zu letters\n", refused, calendar.waiting(), calendar.slots(), letters);
}
