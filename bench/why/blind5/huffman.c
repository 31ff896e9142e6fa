/* Packs a text by Huffman's code and unpacks it again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    int weight, left, right, symbol;
};

static struct node tree[512];
static unsigned code[256];
static int bits[256];

static int lightest(int nodes, const int *taken) {
    int best = -1;
    for (int i = 0; i < nodes; i++)
        if (!taken[i] && tree[i].weight && (best < 0 || tree[i].weight < tree[best].weight))
            best = i;
    return best;
}

static int planted(const int *weights) {
    int taken[512] = {0}, nodes = 256;
    for (int i = 0; i < 256; i++)
        tree[i] = (struct node){weights[i], -1, -1, i};
    for (;;) {
        int a = lightest(nodes, taken);
        taken[a] = 1;
        int b = lightest(nodes, taken);
        if (b < 0)
            return a;
        taken[b] = 1;
        tree[nodes++] = (struct node){tree[a].weight + tree[b].weight, a, b, -1};
    }
}

static void walk(int at, unsigned path, int depth) {
    if (tree[at].symbol >= 0) {
        code[tree[at].symbol] = path;
        bits[tree[at].symbol] = depth;
        return;
    }
    walk(tree[at].left, path << 1, depth + 1);
    walk(tree[at].right, path << 1 | 1, depth + 1);
}

static long packed(const unsigned char *text, int n, unsigned char *out) {
    long place = 0;
    memset(out, 0, (size_t)n * 2);
    for (int i = 0; i < n; i++)
        for (int b = bits[text[i]] - 1; b >= 0; b--, place++)
            out[place >> 3] |= (unsigned char)((code[text[i]] >> b & 1) << (place & 7));
    return place;
}

static int unpacked(const unsigned char *in, long places, int root, unsigned char *out) {
    int n = 0, at = root;
    for (long p = 0; p < places; p++) {
        at = in[p >> 3] >> (p & 7) & 1 ? tree[at].right : tree[at].left;
        if (tree[at].symbol >= 0) {
            out[n++] = (unsigned char)tree[at].symbol;
            at = root;
        }
    }
    return n;
}

int main(void) {
    enum { N = 300000 };
    unsigned char *text = malloc(N), *small = malloc(N * 2), *back = malloc(N);
    int weights[256] = {0};
    unsigned seed = 99;
    for (int i = 0; i < N; i++) {
        seed = seed * 1664525u + 1013904223u;
        text[i] = (unsigned char)("etaoin shrdlu,.cmfwyp\n"[(seed >> 24) % 22 * ((seed >> 12) % 23) / 22]);
        weights[text[i]]++;
    }
    int root = planted(weights), n = 0;
    long places = 0;
    walk(root, 0, 0);
    for (int again = 0; again < 24; again++) {
        places = packed(text, N, small);
        n = unpacked(small, places, root, back);
    }
    printf("%ld bits, %s\n", places, n == N && !memcmp(text, back, N) ? "same" : "differs");
    return 0;
}
