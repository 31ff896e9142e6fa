// Works out the lines of invoices (little sums with brackets); a bad line is left and counted.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES 4096

#ifdef MASK
typedef sigjmp_buf place;
#define remember(p) sigsetjmp(p, 1)
#define leave(p) siglongjmp(p, 1)
#else
typedef jmp_buf place;
#define remember(p) _setjmp(p)
#define leave(p) longjmp(p, 1)
#endif

struct parser {
    const char *at;
    place bad;
};

static char lines[LINES][96];

static long sum(struct parser *p);

// A number in cents, or a sum in brackets.
static long factor(struct parser *p) {
    if (*p->at == '(') {
        p->at++;
        long v = sum(p);
        if (*p->at++ != ')')
            leave(p->bad);
        return v;
    }
    if (*p->at < '0' || *p->at > '9')
        leave(p->bad);
    long v = 0;
    while (*p->at >= '0' && *p->at <= '9')
        v = v * 10 + *p->at++ - '0';
    return v;
}

static long product(struct parser *p) {
    long v = factor(p);
    while (*p->at == '*') {
        p->at++;
        v *= factor(p);
    }
    return v;
}

static long sum(struct parser *p) {
    long v = product(p);
    while (*p->at == '+' || *p->at == '-') {
        char sign = *p->at++;
        long w = product(p);
        v += sign == '+' ? w : -w;
    }
    return v;
}

// The value of a line, or false if it is none.
static int evaluated(const char *line, long *value) {
    struct parser p;
    p.at = line;
    if (remember(p.bad))
        return 0;
    *value = sum(&p);
    return *p.at == 0;
}

static int written(char *out, size_t room, long cents) {
#ifdef CENTS
    return snprintf(out, room, "%.2f", (double)cents / 100);
#else
    const char *sign = cents < 0 ? "-" : "";
    cents = labs(cents);
    char *at = out;
    for (; *sign; sign++)
        *at++ = *sign;
    char digits[24];
    int n = 0;
    do {
        digits[n++] = (char)('0' + cents % 10);
        cents /= 10;
    } while (cents || n < 3);
    for (int i = n - 1; i >= 0; i--) {
        *at++ = digits[i];
        if (i == 2)
            *at++ = '.';
    }
    *at = 0;
    (void)room;
    return (int)(at - out);
#endif
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 350;
    unsigned seed = 17;
    for (int i = 0; i < LINES; i++) {
        seed = seed * 1664525 + 1013904223;
        unsigned a = seed >> 20, b = seed >> 12 & 63, c = seed >> 6 & 255;
        if (i % 50 == 7)
            snprintf(lines[i], sizeof lines[i], "%u*%u+", a, b);
        else
            snprintf(lines[i], sizeof lines[i], "%u*(%u+%u)-%u+(%u*%u-(%u+%u*7))*2-(%u+%u+%u)*%u", a, b, c, a / 3, c, b, a, b, a,
                     b + 5, c, b / 2);
    }
    unsigned long bad = 0, letters = 0, mark = 5381;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < LINES; i++) {
            long value;
            char text[32];
            if (!evaluated(lines[i], &value)) {
                bad++;
                continue;
            }
            letters += (unsigned long)written(text, sizeof text, value);
            mark = mark * 33 + (unsigned char)text[0] + (unsigned char)text[1];
        }
    printf("%lu letters, %lu bad, %lx\n", letters, bad, mark);
    return 0;
}
