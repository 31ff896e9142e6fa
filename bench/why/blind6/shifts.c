// Fills the shifts of a ward with nurses: all rosters of a week that keep the rules are counted.
#include <stdio.h>
#include <stdlib.h>

#define NURSES 7
#define SHIFTS 13

struct ward {
    int roster[SHIFTS];
    int worked[NURSES];
    unsigned away[NURSES];
};

static unsigned long tried, found, quality;

#ifdef OTHER
static int worth(const struct ward *ward);

// A nurse who is away, has worked three times or has just worked may not take a shift.
static int may(const struct ward *ward, int who, int slot) {
    unsigned days = ward->away[who];
    if (days >> slot & 1 || ward->worked[who] >= 3)
        return 0;
    if (slot > 0 && ward->roster[slot - 1] == who)
        return 0;
    return !(slot > 1 && slot % 2 == 0 && ward->roster[slot - 2] == who);
}
#define liked worth
#else
// Whether the nurse may take the shift: not away, not after a night, not too often.
static int may(const struct ward *w, int nurse, int shift) {
    if (w->away[nurse] >> shift & 1)
        return 0;
    if (w->worked[nurse] >= 3)
        return 0;
    if (shift > 0 && w->roster[shift - 1] == nurse)
        return 0;
    if (shift > 1 && shift % 2 == 0 && w->roster[shift - 2] == nurse)
        return 0;
    return 1;
}
#endif

static int liked(const struct ward *w) {
    int points = 0;
    for (int i = 0; i < SHIFTS; i++) {
        if (w->roster[i] % 3 == i % 3)
            points += 2;
        else if (w->roster[i] > i)
            points--;
    }
    return points;
}

static void fill(struct ward *w, int shift) {
    if (shift == SHIFTS) {
        found++;
        quality += (unsigned long)(liked(w) + SHIFTS);
        return;
    }
    for (int nurse = 0; nurse < NURSES; nurse++) {
        tried++;
        if (!may(w, nurse, shift))
            continue;
        w->roster[shift] = nurse;
        w->worked[nurse]++;
        fill(w, shift + 1);
        w->worked[nurse]--;
    }
}

int main(int argc, char **argv) {
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 5;
    for (int week = 0; week < 1; week++) {
        struct ward w = {0};
        for (int nurse = 0; nurse < NURSES; nurse++) {
            unsigned away = 0;
            for (int k = 0; k < 5; k++) {
                seed = seed * 1664525 + 1013904223;
                away |= 1u << (seed >> 12) % SHIFTS;
            }
            w.away[nurse] = away;
        }
        fill(&w, 0);
    }
    printf("%lu rosters of %lu tries, quality %lu\n", found, tried, quality);
    return 0;
}
