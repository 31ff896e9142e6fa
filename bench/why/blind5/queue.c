/* A queue of messages of several sizes that are allocated, filled in part, sent and freed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct message {
    struct message *next;
    size_t room, used;
    char body[];
};

static struct message *first, **last = &first;
static size_t queued;

static struct message *begun(size_t room) {
    struct message *m = malloc(sizeof *m + room);
    m->next = NULL;
    m->room = room;
    m->used = 0;
    return m;
}

static void add(struct message *m, const char *text, size_t n) {
    if (m->used + n > m->room)
        n = m->room - m->used;
    memcpy(m->body + m->used, text, n);
    m->used += n;
}

static void push(struct message *m) {
    *last = m;
    last = &m->next;
    queued++;
}

static struct message *pop(void) {
    struct message *m = first;
    first = m->next;
    if (!first)
        last = &first;
    queued--;
    return m;
}

static uint64_t sent(const struct message *m, uint64_t sum) {
    for (size_t i = 0; i < m->used; i++)
        sum = (sum ^ (unsigned char)m->body[i]) * 1099511628211u;
    return sum;
}

int main(void) {
    static const char *const words[] = {"temperature ", "pressure ", "humidity ", "wind from the west ", "rain "};
    unsigned seed = 17;
    uint64_t sum = 14695981039346656037u;
    for (int i = 0; i < 600000; i++) {
        seed = seed * 1664525u + 1013904223u;
        struct message *m = begun(1024 + (seed >> 10) % 12000);
        for (unsigned k = 0; k < 8 + (seed >> 28); k++) {
            const char *word = words[(seed >> k) % 5];
            add(m, word, strlen(word));
        }
        push(m);
        if (queued > 200) {
            struct message *old = pop();
            sum = sent(old, sum);
            free(old);
        }
    }
    printf("%zu left, %016llx\n", queued, (unsigned long long)sum);
    return 0;
}
