/* Reads S-expressions of a configuration into a tree of cells and sums what is in them. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cell {
    int kind; /* 'n', 's' or '(' */
    long number;
    int first, next;
};

struct reader {
    const char *at;
    struct cell *cells;
    int used;
};

__attribute__((noinline)) static int skip(struct reader *r) {
    while (*r->at == ' ' || *r->at == '\n')
        r->at++;
    return *r->at;
}

__attribute__((noinline)) static int fresh(struct reader *r, int kind) {
    struct cell *c = &r->cells[r->used];
    c->kind = kind;
    c->number = 0;
    c->first = c->next = -1;
    return r->used++;
}

__attribute__((noinline)) static int digit(const struct reader *r) {
    int c = *r->at;
    return c >= '0' && c <= '9' ? c - '0' : -1;
}

__attribute__((noinline)) static int number(struct reader *r) {
    int here = fresh(r, 'n'), d;
    while ((d = digit(r)) >= 0) {
        r->cells[here].number = r->cells[here].number * 10 + d;
        r->at++;
    }
    return here;
}

static int symbol(struct reader *r) {
    int here = fresh(r, 's');
    while (isalpha((unsigned char)*r->at) || *r->at == '-')
        r->cells[here].number = r->cells[here].number * 31 + *r->at++;
    return here;
}

static int expression(struct reader *r) {
    int c = skip(r);
    if (c != '(')
        return digit(r) >= 0 ? number(r) : symbol(r);
    int here = fresh(r, '('), last = -1;
    r->at++;
    while ((c = skip(r)) != ')' && c) {
        int item = expression(r);
        if (last < 0)
            r->cells[here].first = item;
        else
            r->cells[last].next = item;
        last = item;
    }
    r->at++;
    return here;
}

static long total(const struct cell *cells, int at) {
    long sum = 0;
    for (; at >= 0; at = cells[at].next)
        sum += cells[at].kind == '(' ? total(cells, cells[at].first) : cells[at].kind == 'n' ? cells[at].number : 1;
    return sum;
}

int main(void) {
    enum { RULES = 9000 };
    char *text = malloc(RULES * 80 + 10), *end = text;
    end += sprintf(end, "(rules ");
    for (int i = 0; i < RULES; i++)
        end += sprintf(end, "(allow port %d (from host-%c 10 0 %d %d) (rate %d))\n", i % 65536, 'a' + i % 26, i % 256, i * 7 % 256, i * i % 99991);
    strcpy(end, ")");
    struct reader r = {text, malloc(sizeof(struct cell) * RULES * 16), 0};
    long sum = 0;
    for (int again = 0; again < 120; again++) {
        r.at = text;
        r.used = 0;
        sum += total(r.cells, expression(&r));
    }
    printf("%d cells, %ld\n", r.used, sum);
    return 0;
}
