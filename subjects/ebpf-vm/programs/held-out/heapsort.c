/* Sorts 400 pseudo-random records of a 32-bit key and a 32-bit value by their key with heap sort,
 * and returns a polynomial over keys and values, which depends on their order. */
#include "../program.h"

struct record {
    u32 key, value;
};

enum { RECORDS = 400 };

static inline __attribute__((always_inline)) void sift(struct record *heap, u32 hole, u32 count)
{
    struct record moving = heap[hole];

    for (;;) {
        u32 child = 2 * hole + 1;

        if (child >= count)
            break;
        if (child + 1 < count && heap[child].key < heap[child + 1].key)
            child++;
        if (heap[child].key <= moving.key)
            break;
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = moving;
}

u64 heapsort(struct record *records, u64 length)
{
    u32 random = 8;
    u64 sum = 0;

    for (u32 i = 0; i < RECORDS; i++) {
        records[i].key = next_random(&random);
        records[i].value = i;
    }
    for (u32 i = RECORDS / 2; i-- > 0;)
        sift(records, i, RECORDS);
    for (u32 last = RECORDS - 1; last > 0; last--) {
        struct record greatest = records[0];

        records[0] = records[last];
        records[last] = greatest;
        sift(records, 0, last);
    }
    for (u32 i = 0; i < RECORDS; i++)
        sum = (sum * 31 + records[i].key) * 31 + records[i].value;
    return sum;
}
