/* A cache of 32 keys that forgets the one not used for longest: 2000 pseudo-random questions, half of
 * them for few keys; a table of chains and a list in order of use. Returns hits << 32 | a hash over
 * the order in the end. */
#include "program.h"

struct entry {
    u32 key;
    u16 newer, older, chain, unused;
};

enum { ENTRIES = 32, BUCKETS = 16, QUESTIONS = 2000 };

struct cache {
    struct entry entries[ENTRIES + 1]; /* 0 is both ends of the list */
    u16 buckets[BUCKETS];
};

static inline __attribute__((always_inline)) void unlink(struct entry *entries, u32 at)
{
    entries[entries[at].newer].older = entries[at].older;
    entries[entries[at].older].newer = entries[at].newer;
}

static inline __attribute__((always_inline)) void put_first(struct entry *entries, u32 at)
{
    entries[at].newer = 0;
    entries[at].older = entries[0].older;
    entries[entries[0].older].newer = at;
    entries[0].older = at;
}

u64 lru(struct cache *cache, u64 length)
{
    struct entry *entries = cache->entries;
    u32 random = 32, used = 0;
    u64 hits = 0, hash = 0;

    entries[0].newer = entries[0].older = 0;
    for (u32 i = 0; i < BUCKETS; i++)
        cache->buckets[i] = 0;
    for (u32 i = 0; i < QUESTIONS; i++) {
        u32 number = next_random(&random);
        u32 key = number & 0x80000000 ? number >> 16 & 15 : number >> 16 & 127;
        u32 bucket = key * 2654435761u >> 28, at = cache->buckets[bucket];

        while (at && entries[at].key != key)
            at = entries[at].chain;
        if (at) {
            hits++;
            unlink(entries, at);
        } else {
            if (used < ENTRIES) {
                at = ++used;
            } else {
                u32 old = entries[0].newer, of = entries[old].key * 2654435761u >> 28;

                unlink(entries, old);
                if (cache->buckets[of] == old) {
                    cache->buckets[of] = entries[old].chain;
                } else {
                    u32 before = cache->buckets[of];

                    while (entries[before].chain != old)
                        before = entries[before].chain;
                    entries[before].chain = entries[old].chain;
                }
                at = old;
            }
            entries[at].key = key;
            entries[at].chain = cache->buckets[bucket];
            cache->buckets[bucket] = at;
        }
        put_first(entries, at);
    }
    for (u32 at = entries[0].older; at; at = entries[at].older)
        hash = hash * 31 + entries[at].key;
    return hits << 32 | (hash & 0xffffffff);
}
