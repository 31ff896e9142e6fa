/* A small key-value store: a log in a file, an index in memory, queries and a report. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef RECORDS
#define RECORDS 40000
#endif
struct record { int key; int value; char note[24]; };
struct table { struct record *rows; size_t used, room; };

static void append(struct table *t, const struct record *r) {
#ifdef REALLOC
    if (t->used == t->room) {
        struct record *rows = malloc((t->room = t->used + 32) * sizeof *rows);
        if (t->used) memcpy(rows, t->rows, t->used * sizeof *rows);
        free(t->rows);
        t->rows = rows;
    }
#else
    if (t->used == t->room) t->rows = realloc(t->rows, (t->room = t->room * 2 + 32) * sizeof *t->rows);
#endif
    t->rows[t->used++] = *r;
}

static void log_record(FILE *log, const struct record *r) {
    fprintf(log, "%d %d %s\n", r->key, r->value, r->note);
#ifdef FLUSH
    fflush(log);
#endif
#ifdef SYNC
    if (r->key % 200 == 0) { fflush(log); fdatasync(fileno(log)); }
#endif
#ifdef REOPEN
    if (r->key % 4 == 0) { fflush(log); int fd = open("log.txt", O_RDONLY); struct stat s; fstat(fd, &s); close(fd); }
#endif
#ifdef PAUSE
    if (r->key % 600 == 0) { struct timespec t = {0, 1000000}; nanosleep(&t, NULL); }
#endif
#ifdef SHELL
    if (r->key % 500 == 0 && system("test -f log.txt")) abort();
#endif
}

static size_t load(void) {
    char buffer[65536];
    size_t total = 0, lines = 0;
    int fd = open("log.txt", O_RDONLY);
#ifdef SMALLREAD
    const size_t size = 16;
#else
    const size_t size = sizeof buffer;
#endif
    for (ssize_t n; (n = read(fd, buffer, size)) > 0; total += n)
        for (ssize_t i = 0; i < n; i++) lines += buffer[i] == '\n';
    close(fd);
    return lines + total;
}

static void normalize(char *s) {
#ifdef STRLEN
    for (size_t i = 0; i < strlen(s); i++)
#else
    for (size_t i = 0, n = strlen(s); i < n; i++)
#endif
        if (s[i] >= 'a' && s[i] <= 'z') s[i] -= 32;
}

static char *report(const struct table *t) {
    char *out = malloc(t->used * 16 + 1), *end = out;
    *out = 0;
    for (size_t i = 0; i < t->used; i += 8) {
        char line[32];
        int n = snprintf(line, sizeof line, "%d;", t->rows[i].value);
#ifdef STRCAT
        strcat(out, line);
        (void)n;
#else
        memcpy(end, line, n + 1);
#endif
        end += n;
    }
    return out;
}

static const struct record *find(const struct table *t, int key) {
#ifdef LINEAR
    for (size_t i = 0; i < t->used; i++)
        if (t->rows[i].key == key) return &t->rows[i];
    return NULL;
#else
    size_t low = 0, high = t->used;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (t->rows[mid].key < key) low = mid + 1;
        else high = mid;
    }
    return &t->rows[low];
#endif
}

static long scratch(int key) {
#ifdef SCRATCH
    size_t size = 1 << 20;
    int *area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < size / 4; i += 1024) area[i] = key;
    long sum = area[1024];
    munmap(area, size);
    return sum;
#else
    static int area[1 << 18];
    for (size_t i = 0; i < sizeof area / 4; i += 1024) area[i] = key;
    return area[1024];
#endif
}

int main(void) {
    struct table t = {0};
    FILE *log = fopen("log.txt", "w");
    for (int i = 0; i < RECORDS; i++) {
        struct record r = {i, (int)(i * 2654435761u >> 12), "an ordinary note"};
        append(&t, &r);
        log_record(log, &r);
    }
    fclose(log);
    size_t lines = load();
    char *page = malloc(200001);
    for (int i = 0; i < 200000; i++) page[i] = "the quick brown fox "[i % 20];
    page[200000] = 0;
#ifdef STRLEN
    page[20000] = 0;
#endif
    normalize(page);
    long sum = 0;
    for (int i = 0; i < 1500; i++) sum += find(&t, (i * 7919) % RECORDS)->value;
    for (int i = 0; i < 300; i++) sum += scratch(i);
    char *text = report(&t);
    printf("%zu %ld %c %zu\n", lines, sum, page[4], strlen(text));
    return 0;
}
