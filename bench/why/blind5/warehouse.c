/* Reads a file of movements of goods and keeps the stock of each article. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARTICLES = 40, SLOTS = 1024, MOVES = 90000, NAME = 24 };

struct move {
    char article[NAME];
    int change, day;
};

struct article {
    char name[NAME];
    long stock;
};

static struct article articles[ARTICLES];
static int known;
__attribute__((unused)) static int slots[SLOTS];

__attribute__((unused)) static unsigned hash(const char *text) {
    unsigned h = 2166136261u;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 16777619u;
    return h;
}

static struct article *added(const char *name) {
    struct article *a = &articles[known++];
    strcpy(a->name, name);
    return a;
}

static struct article *find(const char *name) {
#ifdef LINEAR
    for (int i = 0; i < known; i++)
        if (strcmp(articles[i].name, name) == 0)
            return &articles[i];
    return added(name);
#else
    unsigned at = hash(name) % SLOTS;
    for (; slots[at]; at = (at + 1) % SLOTS)
        if (strcmp(articles[slots[at] - 1].name, name) == 0)
            return &articles[slots[at] - 1];
    slots[at] = known + 1;
    return added(name);
#endif
}

static int moves(int file, struct move *into, off_t from) {
#ifdef SINGLE
    ssize_t n = pread(file, into, 8 * sizeof *into, from);
#else
    ssize_t n = pread(file, into, 256 * sizeof *into, from);
#endif
    return n < 0 ? 0 : (int)((size_t)n / sizeof *into);
}

static int written(void) {
    char path[] = "/tmp/warehouse-XXXXXX";
    int file = mkstemp(path);
    unlink(path);
    FILE *out = fdopen(dup(file), "w");
    unsigned seed = 15;
    for (int i = 0; i < MOVES; i++) {
        struct move m = {{0}, 0, i / 500};
        seed = seed * 1664525u + 1013904223u;
        snprintf(m.article, NAME, "article of type %03u", (seed >> 12) % ARTICLES);
        m.change = (int)(seed >> 27) - 12;
        fwrite(&m, sizeof m, 1, out);
    }
    fclose(out);
    return file;
}

int main(void) {
    static struct move block[256];
    int file = written();
    long most = 0;
    for (int again = 0; again < 60; again++) {
        off_t at = 0;
        for (int n; (n = moves(file, block, at)) > 0; at += n * (off_t)sizeof block[0])
            for (int i = 0; i < n; i++)
                find(block[i].article)->stock += block[i].change;
    }
    for (int i = 0; i < known; i++)
        most = articles[i].stock > most ? articles[i].stock : most;
    printf("%d articles, at most %ld\n", known, most);
    close(file);
    return 0;
}
