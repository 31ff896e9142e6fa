/* A phone book: names come as lines, are cut into fields and put into records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 2048, SLOTS = 512 };

struct entry {
    char name[ROOM];
    char number[ROOM];
    unsigned calls;
};

static struct entry book[SLOTS];

#ifdef PAD
static void put(char *field, const char *text) {
    strncpy(field, text, ROOM - 1);
    field[ROOM - 1] = 0;
}
#else
static void put(char *field, const char *text) {
    size_t n = strlen(text);
    if (n > ROOM - 1)
        n = ROOM - 1;
    memcpy(field, text, n);
    field[n] = 0;
}
#endif

static unsigned hash(const char *text) {
    unsigned h = 2166136261u;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 16777619u;
    return h;
}

static int cut(char *line, char *fields[], int most) {
    int n = 0;
    for (char *at = strtok(line, ";\n"); at && n < most; at = strtok(NULL, ";\n"))
        fields[n++] = at;
    return n;
}

static void enter(char *line) {
    char *fields[4];
    if (cut(line, fields, 4) < 3)
        return;
    struct entry *e = &book[hash(fields[0]) % SLOTS];
    if (e->calls && strcmp(e->name, fields[0]) == 0 && strcmp(e->number, fields[1]) == 0) {
        e->calls += (unsigned)atoi(fields[2]);
        return;
    }
    put(e->name, fields[0]);
    put(e->number, fields[1]);
    e->calls = (unsigned)atoi(fields[2]);
}

int main(int argc, char **argv) {
    int lines = argc > 1 ? atoi(argv[1]) : 2500000;
    unsigned seed = 5;
    char line[200];
    for (int i = 0; i < lines; i++) {
        seed = seed * 1664525u + 1013904223u;
        unsigned who = (seed >> 8) % 5000;
        static const char *const names[] = {"Andersen", "Brand", "Castellanos", "Dufour"};
        char *at = stpcpy(line, names[who % 4]);
        *at++ = ' ';
        for (unsigned rest = who; rest; rest /= 26)
            *at++ = (char)('a' + rest % 26);
        at = stpcpy(at, ";0");
        for (unsigned rest = who * 7919; rest; rest /= 10)
            *at++ = (char)('0' + rest % 10);
        strcpy(at, ";1\n");
        enter(line);
    }
    int used = 0;
    for (int i = 0; i < SLOTS; i++)
        used += book[i].calls > 0;
    printf("%d slots in use\n", used);
    return 0;
}
