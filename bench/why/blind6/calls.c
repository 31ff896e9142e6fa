// Charges a day's telephone calls to subscribers, month by month with other tariffs.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SUBSCRIBERS 3000000
#define CALLS 800000

struct subscriber {
    uint32_t tariff, minutes;
    int32_t balance, bonus;
};

struct call {
    uint32_t from, minutes;
};

static struct subscriber *subscribers;

static void sorted(struct call *calls, struct call *other, int n) {
    for (int shift = 0; shift < 24; shift += 8) {
        int starts[257] = {0};
        for (int i = 0; i < n; i++)
            starts[(calls[i].from >> shift & 255) + 1]++;
        for (int i = 0; i < 256; i++)
            starts[i + 1] += starts[i];
        for (int i = 0; i < n; i++)
            other[starts[calls[i].from >> shift & 255]++] = calls[i];
        struct call *swapped = calls;
        calls = other;
        other = swapped;
    }
    for (int i = 0; i < n; i++)
        other[i] = calls[i];
}

static void charge(const struct call *calls, int n, const int *prices) {
    for (int i = 0; i < n; i++) {
        struct subscriber *s = &subscribers[calls[i].from];
        int price = prices[s->tariff] * (int)calls[i].minutes;
        s->minutes += calls[i].minutes;
        s->balance -= price;
        s->bonus += price > 200;
    }
}

int main(void) {
    subscribers = calloc(SUBSCRIBERS, sizeof *subscribers);
    struct call *calls = malloc(CALLS * sizeof *calls), *other = malloc(CALLS * sizeof *other);
    if (!subscribers || !calls || !other)
        return 1;
    for (uint32_t i = 0; i < SUBSCRIBERS; i++)
        subscribers[i].tariff = i * 2654435761u >> 29;
    uint64_t seed = 11;
    for (int i = 0; i < CALLS; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        calls[i] = (struct call){(uint32_t)(seed >> 33) % SUBSCRIBERS, (uint32_t)(seed >> 20) % 40};
    }
#ifndef ARRIVED
    sorted(calls, other, CALLS);
#endif
    for (int month = 0; month < 36; month++) {
        int prices[8];
        for (int k = 0; k < 8; k++)
            prices[k] = 3 + (k * 5 + month) % 17;
        charge(calls, CALLS, prices);
    }
    long balance = 0, bonus = 0;
    for (int i = 0; i < SUBSCRIBERS; i++) {
        balance += subscribers[i].balance;
        bonus += subscribers[i].bonus;
    }
    printf("balance %ld, %ld bonuses\n", balance, bonus);
    return 0;
}
#ifdef ARRIVED
void (*const kept)(struct call *, struct call *, int) = sorted;
#endif
