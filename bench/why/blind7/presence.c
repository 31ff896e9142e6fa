/* Who is online: a table with open addressing, in which users come, go and are asked for. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 1 << 15, EVENTS = 2000000, DAYS = 3 };

static const uint32_t FREE = 0, GONE = 0xffffffffu;

struct slot {
    uint32_t user, since;
};

static struct slot slots[SLOTS];
static unsigned online;

static uint32_t home(uint32_t user)
{
    return user * 2654435769u >> 17;
}

static struct slot *found(uint32_t user)
{
    for (uint32_t at = home(user);; at = (at + 1) % SLOTS) {
        if (slots[at].user == user)
            return &slots[at];
        if (slots[at].user == FREE)
            return NULL;
    }
}

#ifdef OTHER
static uint32_t drawn(uint32_t *seed)
{
    uint32_t next = *seed * 1664525 + 1013904223;
    *seed = next;
    return next >> 8;
}

/* How full the table is, in percent. */
int filled(void);
int filled(void)
{
    return (int)(online * 100ul / SLOTS);
}
#endif

static void came(uint32_t user, uint32_t now)
{
    uint32_t at = home(user);
    while (slots[at].user != FREE && slots[at].user != GONE)
        at = (at + 1) % SLOTS;
    slots[at] = (struct slot){user, now};
    online++;
}

#ifdef MARKED
static void went(struct slot *slot)
{
    slot->user = GONE;
    online--;
}
#else
/* Moves back those behind that would not be found any more across the gap. */
static void went(struct slot *slot)
{
    uint32_t gap = slot - slots, at = gap;
    for (;;) {
        at = (at + 1) % SLOTS;
        if (slots[at].user == FREE)
            break;
        uint32_t far = (at - home(slots[at].user)) % SLOTS;
        if (far >= (at - gap) % SLOTS) {
            slots[gap] = slots[at];
            gap = at;
        }
    }
    slots[gap].user = FREE;
    online--;
}
#endif

#ifndef OTHER
static uint32_t drawn(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}
#endif

int main(void)
{
    uint32_t seed = 21, watched = 0;
    uint64_t stayed = 0;
    unsigned most = 0;
    for (uint32_t now = 1; now <= EVENTS * DAYS; now++) {
        if (now % EVENTS == 0) { /* at night all are gone */
            memset(slots, 0, sizeof slots);
            online = 0;
        }
        uint32_t user = 1 + drawn(&seed) % 60000;
        struct slot *slot = found(user);
        if (now % 3) {
            watched += slot != NULL; /* somebody asks whether a friend is there */
        } else if (slot) {
            stayed += now - slot->since;
            went(slot);
        } else if (online < 12000) {
            came(user, now);
        }
        if (online > most)
            most = online;
    }
    printf("%u online, at most %u, %u seen, %llu\n", online, most, watched, (unsigned long long)stayed);
    return 0;
}
