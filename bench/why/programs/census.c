/* Counts how often each number was seen. */
#include <stdio.h>
#include <stdlib.h>

struct entry {
    struct entry *next;
    unsigned key, count;
};

enum { BUCKETS = 4096, KEYS = 4000 };

static struct entry *buckets[BUCKETS];
static struct entry entries[KEYS];
static unsigned used;

static unsigned bucket(unsigned key)
{
#ifdef LOW_BITS
    return key % BUCKETS;
#else
    return (key * 2654435761u) >> 20;
#endif
}

__attribute__((noinline)) unsigned seen(unsigned key)
{
    struct entry **head = &buckets[bucket(key)];
    for (struct entry *at = *head; at; at = at->next)
        if (at->key == key)
            return ++at->count;
    struct entry *added = &entries[used++];
    *added = (struct entry){*head, key, 1};
    *head = added;
    return 1;
}

int main(void)
{
    unsigned long sum = 0;
    for (unsigned i = 0; i < 24000000; i++)
        sum += seen(i * 7919u % KEYS * 16);
    printf("%lu\n", sum);
    return 0;
}
