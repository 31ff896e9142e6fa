/* Builds a graph, walks it and sums what it finds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { struct node *next; long weight; int kind; };
typedef long (*visit)(const struct node *);

static long plain(const struct node *n) { return n->weight; }
static long twice(const struct node *n) { return n->weight * 2; }
static long none(const struct node *n) { return n->kind; }
static visit visits[3] = {plain, twice, none};

static char arena[400000 * sizeof(struct node)];
static size_t arena_used;
static struct node *node(void) {
#ifdef MALLOCS
    return malloc(sizeof(struct node));
#else
    struct node *n = (struct node *)(arena + arena_used);
    arena_used += sizeof *n;
    return n;
#endif
}

static struct node *build(int n) {
    struct node **all = malloc(n * sizeof *all), *head = NULL;
    unsigned x = 5;
    for (int i = 0; i < n; i++) {
        all[i] = node();
        all[i]->kind = i % 3;
        all[i]->weight = i & 1023;
    }
#ifdef SHUFFLED
    for (int i = n - 1; i > 0; i--) {
        int j = (x = x * 1664525u + 1013904223u) % (i + 1);
        struct node *t = all[i];
        all[i] = all[j];
        all[j] = t;
    }
#endif
    (void)x;
    for (int i = n - 1; i >= 0; i--) {
        all[i]->next = head;
        head = all[i];
    }
    free(all);
    return head;
}

static int compare(const void *a, const void *b) {
    const long *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static long walk(const struct node *n) {
    long sum = 0;
    for (; n; n = n->next) sum += visits[n->kind](n);
    return sum;
}

static void drop(struct node *n) {
    while (n) {
        struct node *next = n->next;
#ifdef MALLOCS
        free(n);
#endif
        n = next;
    }
    arena_used = 0;
}

int main(void) {
    long sum = 0, values[2000];
    for (int round = 0; round < 5; round++) {
        struct node *head = build(400000);
        sum += walk(head) + walk(head);
        drop(head);
    }
    for (int i = 0; i < 2000; i++) values[i] = (i * 7919) % 2003;
#ifdef RESORT
    for (int q = 0; q < 300; q++)
#endif
    qsort(values, 2000, sizeof *values, compare);
    printf("%ld %ld\n", sum, values[77]);
    return 0;
}
