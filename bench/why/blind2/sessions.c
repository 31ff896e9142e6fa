/* A table of sessions with open addressing: tokens of 16 bytes, looked up for each request. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SESSIONS 12000
#define REQUESTS 2200000
#ifdef CROWDED
#define SLOTS (SESSIONS + SESSIONS / 14)
#else
#define SLOTS (2 * SESSIONS)
#endif

struct session {
    char token[16];
    uint32_t requests;
    uint32_t bytes;
    uint64_t seen;
};

static struct session table[SLOTS];

static uint64_t place(const char *token) {
    uint64_t low, high;
    memcpy(&low, token, 8);
    memcpy(&high, token + 8, 8);
    uint64_t h = (low ^ (high << 7 | high >> 57)) * 0x9e3779b97f4a7c15ull;
    return ((h >> 32) * SLOTS) >> 32;
}

static struct session *lookup(const char *token) {
    uint64_t at = place(token);
    while (table[at].token[0] && memcmp(table[at].token, token, 16) != 0)
        at = at + 1 == SLOTS ? 0 : at + 1;
    return &table[at];
}

static void name(uint32_t user, char *token) {
    static const char letters[] = "abcdefghijklmnop";
    uint64_t mixed = (user + 1) * 0xd1342543de82ef95ull;
    mixed ^= mixed >> 29;
    for (int i = 0; i < 16; i++)
        token[i] = letters[(mixed >> (4 * i)) & 15];
}

static void request(const char *token, uint32_t bytes) {
    struct session *s = lookup(token);
    s->requests++;
    s->bytes += bytes;
#ifdef STAMP
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    s->seen = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

int main(void) {
    static char tokens[SESSIONS][16];
    for (uint32_t i = 0; i < SESSIONS; i++) {
        name(i, tokens[i]);
        memcpy(lookup(tokens[i])->token, tokens[i], 16);
    }
    uint32_t seed = 3;
    for (int i = 0; i < REQUESTS; i++) {
        seed = seed * 1664525u + 1013904223u;
        request(tokens[(uint64_t)seed * SESSIONS >> 32], seed >> 22);
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < SESSIONS; i++) {
        struct session *s = lookup(tokens[i]);
        sum = sum * 31 + s->requests + s->bytes;
    }
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
