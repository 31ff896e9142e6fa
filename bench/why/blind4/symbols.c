/* A linker's table of symbols: names are entered and looked up in chains. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 16384
#define SYMBOLS 20000
#define LOOKUPS 200000

struct symbol {
    struct symbol *next;
    uint64_t address;
    char name[32];
};

static struct symbol *buckets[BUCKETS];
static struct symbol pool[SYMBOLS];
static int used;

static unsigned hash(const char *name)
{
    unsigned value = 5381;
    for (; *name; name++)
#ifdef SUM
        value = value + (unsigned char)*name;
#else
        value = value * 33 + (unsigned char)*name;
#endif
    return value & (BUCKETS - 1);
}

#ifdef OTHER
static void enter(const char *label, uint64_t where);

/* How many symbols have no other one behind them; for those who debug. */
int last_ones(void)
{
    int count = 0;
    for (int i = 0; i < BUCKETS; i++)
        for (const struct symbol *item = buckets[i]; item; item = item->next)
            count += !item->next;
    return count;
}

/* The symbol of that label, or null. */
static struct symbol *find(const char *label)
{
    struct symbol *item;
    for (item = buckets[hash(label)]; item; item = item->next)
        if (strcmp(item->name, label) == 0)
            break;
    return item;
}
#else
static struct symbol *find(const char *name)
{
    struct symbol *symbol = buckets[hash(name)];
    while (symbol && strcmp(symbol->name, name))
        symbol = symbol->next;
    return symbol;
}
#endif

static void enter(const char *name, uint64_t address)
{
    struct symbol *symbol = &pool[used++];
    unsigned at = hash(name);
    snprintf(symbol->name, sizeof symbol->name, "%s", name);
    symbol->address = address;
    symbol->next = buckets[at];
    buckets[at] = symbol;
}

static void name_of(int number, char *name, size_t room)
{
    static const char *const units[] = {"parse", "emit", "scan", "fold", "walk", "bind", "load"};
    snprintf(name, room, "%s_%s_%05d", units[number % 7], units[number / 7 % 7], number);
}

int main(void)
{
    char name[32];
    uint64_t total = 0, state = 88172645463325252u;
    for (int i = 0; i < SYMBOLS; i++) {
        name_of(i, name, sizeof name);
        enter(name, 0x400000 + 16 * (uint64_t)i);
    }
    for (int i = 0; i < LOOKUPS; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        name_of((int)(state % (SYMBOLS + 500)), name, sizeof name);
        struct symbol *symbol = find(name);
        total += symbol ? symbol->address : 1;
    }
    printf("%llu\n", (unsigned long long)total);
    return 0;
}
