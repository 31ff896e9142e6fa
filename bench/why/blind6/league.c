// Keeps the ranks of players while they win and lose: a search tree that is balanced by priorities.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PLAYERS 3000

struct node {
    struct node *left, *right;
    int points, player;
    uint32_t priority;
    int size;
};

static struct node nodes[PLAYERS];
// What is drawn here decides on the shape of the tree alone.
static uint32_t drawn(void) {
#ifdef ENTROPY
    return arc4random();
#else
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32);
#endif
}

static int size(const struct node *n) { return n ? n->size : 0; }

static void counted(struct node *n) { n->size = 1 + size(n->left) + size(n->right); }

static int before(const struct node *a, const struct node *b) {
    return a->points != b->points ? a->points > b->points : a->player < b->player;
}

static void split(struct node *tree, const struct node *key, struct node **low, struct node **high) {
    if (!tree) {
        *low = *high = NULL;
    } else if (before(tree, key)) {
        split(tree->right, key, &tree->right, high);
        *low = tree;
        counted(tree);
    } else {
        split(tree->left, key, low, &tree->left);
        *high = tree;
        counted(tree);
    }
}

static struct node *joined(struct node *a, struct node *b) {
    if (!a || !b)
        return a ? a : b;
    if (a->priority > b->priority) {
        a->right = joined(a->right, b);
        counted(a);
        return a;
    }
    b->left = joined(a, b->left);
    counted(b);
    return b;
}

static struct node *inserted(struct node *tree, struct node *n) {
    if (!tree || n->priority > tree->priority) {
        split(tree, n, &n->left, &n->right);
        counted(n);
        return n;
    }
    if (before(n, tree))
        tree->left = inserted(tree->left, n);
    else
        tree->right = inserted(tree->right, n);
    counted(tree);
    return tree;
}

static struct node *removed(struct node *tree, const struct node *n) {
    if (tree == n)
        return joined(tree->left, tree->right);
    if (before(n, tree))
        tree->left = removed(tree->left, n);
    else
        tree->right = removed(tree->right, n);
    counted(tree);
    return tree;
}

static int rank(const struct node *tree, const struct node *n) {
    int above = 0;
    while (tree != n) {
        if (before(n, tree)) {
            tree = tree->left;
        } else {
            above += size(tree->left) + 1;
            tree = tree->right;
        }
    }
    return above + size(tree->left);
}

int main(void) {
    struct node *tree = NULL;
    for (int i = 0; i < PLAYERS; i++) {
        nodes[i] = (struct node){.player = i, .points = 1000, .priority = drawn()};
        tree = inserted(tree, &nodes[i]);
    }
    unsigned seed = 3;
    unsigned long ranks = 0;
    for (int game = 0; game < 900000; game++) {
        seed = seed * 1664525 + 1013904223;
        struct node *n = &nodes[(seed >> 8) % PLAYERS];
        tree = removed(tree, n);
        n->points += (seed >> 4 & 31) < 16 ? 3 : -3;
        n->left = n->right = NULL;
        n->priority = drawn();
        tree = inserted(tree, n);
        if (game % 16 == 0)
            ranks += (unsigned long)rank(tree, n);
    }
    printf("%d players, ranks %lu\n", size(tree), ranks);
    return 0;
}
