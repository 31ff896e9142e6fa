// Builds and drops indices of words again and again, as an indexer of batches does.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCHES 16
#define DOCUMENTS 60000
#define WORDS 44

struct posting {
    uint32_t document, place, word, next;
};

struct part {
    struct posting *postings;
    uint32_t *heads;
    uint32_t used, size;
};

static void opened(struct part *p) {
    p->size = DOCUMENTS * WORDS;
    p->used = 0;
    p->postings = malloc(p->size * sizeof *p->postings);
    p->heads = calloc(1 << 16, sizeof *p->heads);
    if (!p->postings || !p->heads)
        exit(1);
}

static void closed(struct part *p) {
    free(p->postings);
    free(p->heads);
}

static void add(struct part *p, uint32_t document, uint32_t place, uint32_t word) {
    uint32_t slot = word * 40503u & 0xffff;
    p->postings[p->used] = (struct posting){document, place, word, p->heads[slot]};
    p->heads[slot] = ++p->used;
}

static uint32_t found(const struct part *p, uint32_t word) {
    uint32_t count = 0;
    for (uint32_t at = p->heads[word * 40503u & 0xffff]; at && count < 20; at = p->postings[at - 1].next)
        count += p->postings[at - 1].word == word;
    return count;
}

int main(void) {
    uint32_t seed = 77;
    unsigned long hits = 0, postings = 0;
    for (int batch = 0; batch < BATCHES; batch++) {
        struct part p;
        opened(&p);
        for (uint32_t d = 0; d < DOCUMENTS; d++)
            for (uint32_t place = 0; place < WORDS; place++) {
                seed = seed * 1664525 + 1013904223;
                add(&p, d, place, (seed >> 16) % 50000);
            }
        for (uint32_t word = 0; word < 500; word++)
            hits += found(&p, word * 97);
        postings += p.used;
        closed(&p);
    }
    printf("%lu postings, %lu hits\n", postings, hits);
    return 0;
}
