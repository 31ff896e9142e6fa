/* A binary search tree in an array: 300 pseudo-random keys are put in, 900 are looked up, and every
 * third is taken out; then the tree is walked in order with the help of parent links. Returns
 * found << 48 | left over << 32 | a sum that depends on the order. */
#include "program.h"

struct node {
    u32 key;
    u16 left, right, parent, unused;
};

enum { KEYS = 300 };

static inline __attribute__((always_inline)) void replace(struct node *nodes, u32 at, u32 by)
{
    u32 parent = nodes[at].parent;

    if (nodes[parent].left == at)
        nodes[parent].left = by;
    else
        nodes[parent].right = by;
    if (by)
        nodes[by].parent = parent;
}

static inline __attribute__((always_inline)) u32 find(const struct node *nodes, u32 key)
{
    u32 at = nodes[0].right;

    while (at && nodes[at].key != key)
        at = key < nodes[at].key ? nodes[at].left : nodes[at].right;
    return at;
}

static inline __attribute__((always_inline)) void take_out(struct node *nodes, u32 at)
{
    if (!nodes[at].left) {
        replace(nodes, at, nodes[at].right);
    } else if (!nodes[at].right) {
        replace(nodes, at, nodes[at].left);
    } else {
        u32 next = nodes[at].right;

        while (nodes[next].left)
            next = nodes[next].left;
        nodes[at].key = nodes[next].key;
        replace(nodes, next, nodes[next].right);
    }
}

/* Node 0 stands above the root, which is its right child. */
u64 tree(struct node *nodes, u64 length)
{
    u32 random = 21, used = 1;
    u64 found = 0, left = 0, sum = 0;

    nodes[0].left = nodes[0].right = 0;
    for (u32 i = 0; i < KEYS; i++) {
        u32 key = next_random(&random) >> 20, at = nodes[0].right, parent = 0;

        while (at && nodes[at].key != key) {
            parent = at;
            at = key < nodes[at].key ? nodes[at].left : nodes[at].right;
        }
        if (at)
            continue;
        nodes[used].key = key;
        nodes[used].left = nodes[used].right = 0;
        nodes[used].parent = parent;
        if (parent && key < nodes[parent].key)
            nodes[parent].left = used;
        else
            nodes[parent].right = used;
        used++;
    }
    for (u32 i = 0; i < 3 * KEYS; i++) {
        u32 at = find(nodes, next_random(&random) >> 20);

        found += at != 0;
        if (at && i % 3 == 0)
            take_out(nodes, at);
    }
    for (u32 at = nodes[0].right, from = 0; at;) {
        u32 next = nodes[at].parent;

        if (from == nodes[at].parent && nodes[at].left) {
            next = nodes[at].left;
        } else if (from == nodes[at].parent || (from && from == nodes[at].left)) {
            left++;
            sum = (sum * 7 + nodes[at].key) & 0xffffffff;
            if (nodes[at].right)
                next = nodes[at].right;
        }
        from = at;
        at = next;
    }
    return found << 48 | left << 32 | sum;
}
