/* A hash table with open addressing that counts flows: 256 entries of 16 bytes, linear probing,
 * removal by moving entries back. 1500 pseudo-random operations: two thirds count a key, one third
 * removes one. Returns removed << 48 | entries << 32 | a sum over keys and counts. */
#include "../program.h"

struct entry {
    u64 key;
    u32 count, used;
};

enum { SLOTS = 256, OPERATIONS = 1500 };

static inline __attribute__((always_inline)) u32 slot_of(u64 key)
{
    return (u32)(key * 0x9e3779b97f4a7c15ull >> 56);
}

static inline __attribute__((always_inline)) u32 find(const struct entry *table, u64 key)
{
    u32 at = slot_of(key);

    while (table[at].used && table[at].key != key)
        at = (at + 1) % SLOTS;
    return at;
}

static inline __attribute__((always_inline)) void take_out(struct entry *table, u32 hole)
{
    u32 at = hole;

    for (;;) {
        at = (at + 1) % SLOTS;
        if (!table[at].used)
            break;
        /* An entry may move to the hole unless that is before its own slot. */
        if (((at - slot_of(table[at].key)) % SLOTS) >= ((at - hole) % SLOTS)) {
            table[hole] = table[at];
            hole = at;
        }
    }
    table[hole].used = 0;
}

u64 table(struct entry *table, u64 length)
{
    u64 removed = 0, entries = 0, sum = 0;
    u32 random = 9;

    for (u32 i = 0; i < OPERATIONS; i++) {
        u32 number = next_random(&random);
        u64 key = (number >> 24) * 0x10001ull + 77;
        u32 at = find(table, key);

        if (number >> 8 & 3) {
            if (!table[at].used) {
                if (entries > 200)
                    continue;
                table[at].key = key;
                table[at].count = 0;
                table[at].used = 1;
                entries++;
            }
            table[at].count++;
        } else if (table[at].used) {
            take_out(table, at);
            entries--;
            removed++;
        }
    }
    for (u32 i = 0; i < SLOTS; i++)
        if (table[i].used)
            sum += table[i].key * table[i].count;
    return removed << 48 | entries << 32 | (u32)sum;
}
