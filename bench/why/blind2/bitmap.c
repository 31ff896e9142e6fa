/* How often two labels are on one article, from a bitmap of the articles of each label. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LABELS 40
#define ARTICLES (1 << 18)
#define WORDS (ARTICLES / 64)

static uint64_t bitmaps[LABELS][WORDS];

#ifdef OTHER
typedef unsigned long long block;
static uint64_t draw(uint64_t *seed);

static long both(const uint64_t *left, const uint64_t *right) {
    long total = 0;
    int at = 0;
    while (at != WORDS) {
        block common = left[at] & right[at];
        total += __builtin_popcountll(common);
        at += 1;
    }
    return total;
}

static void tag(void) {
    uint64_t seed = 20;
    uint32_t n = 0;
    while (n < ARTICLES) {
        for (int left = 12; left > 0; left--) {
            uint64_t *bitmap = bitmaps[draw(&seed) % LABELS];
            bitmap[n >> 6] |= (uint64_t)1 << (n & 63);
        }
        ++n;
    }
}

static uint64_t draw(uint64_t *seed) {
    uint64_t s = *seed;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return *seed = s;
}
#else
static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void tag(void) {
    uint64_t state = 20;
    for (uint32_t article = 0; article < ARTICLES; article++)
        for (int i = 0; i < 12; i++)
            bitmaps[next_random(&state) % LABELS][article / 64] |= 1ull << (article % 64);
}

static long both(const uint64_t *a, const uint64_t *b) {
    long count = 0;
    for (int i = 0; i < WORDS; i++)
        count += __builtin_popcountll(a[i] & b[i]);
    return count;
}
#endif

int main(void) {
    tag();
    long best = 0, sum = 0;
    int first = 0, second = 0;
    for (int round = 0; round < 16; round++)
        for (int a = 0; a < LABELS; a++)
            for (int b = 0; b < a; b++) {
                long n = both(bitmaps[a], bitmaps[b]);
                sum += n;
                if (n > best)
                    best = n, first = a, second = b;
            }
    printf("%ld in all, most often %d and %d: %ld\n", sum, first, second, best);
    return 0;
}
