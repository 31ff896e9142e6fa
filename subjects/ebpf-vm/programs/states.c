/* Keeps 24 connections by the states of TCP and 3000 made-up events, with timers in a wheel of 32
 * slots that close what is idle. Returns closed << 48 | refused << 32 | a hash over the states. */
#include "program.h"

enum { CONNECTIONS = 24, EVENTS = 3000, SLOTS = 32 };
enum { CLOSED, SYN_SENT, SYN_RECEIVED, ESTABLISHED, FIN_WAIT, CLOSE_WAIT, LAST_ACK, TIME_WAIT };
enum { SYN, SYN_ACK, ACK, FIN, RST };

struct connection {
    u32 state, deadline;
    u16 next, waits;
    u32 bytes;
};

struct wheel {
    struct connection connections[CONNECTIONS + 1];
    u16 slots[SLOTS];
};

static inline __attribute__((always_inline)) u32 step(u32 state, u32 event, u64 *refused)
{
    if (event == RST)
        return CLOSED;
    switch (state) {
    case CLOSED:
        if (event == SYN)
            return SYN_SENT;
        break;
    case SYN_SENT:
        if (event == SYN_ACK)
            return SYN_RECEIVED;
        break;
    case SYN_RECEIVED:
        if (event == ACK)
            return ESTABLISHED;
        break;
    case ESTABLISHED:
        if (event == FIN)
            return FIN_WAIT;
        if (event == ACK)
            return ESTABLISHED;
        break;
    case FIN_WAIT:
        if (event == FIN)
            return TIME_WAIT;
        if (event == ACK)
            return CLOSE_WAIT;
        break;
    case CLOSE_WAIT:
        if (event == FIN)
            return LAST_ACK;
        break;
    case LAST_ACK:
        if (event == ACK)
            return CLOSED;
        break;
    }
    ++*refused;
    return state;
}

u64 states(struct wheel *wheel, u64 length)
{
    struct connection *connections = wheel->connections;
    u32 random = 37, now = 0;
    u64 closed = 0, refused = 0, hash = 0;

    for (u32 i = 0; i <= CONNECTIONS; i++) {
        connections[i].state = CLOSED;
        connections[i].deadline = connections[i].bytes = 0;
        connections[i].next = connections[i].waits = 0;
    }
    for (u32 i = 0; i < SLOTS; i++)
        wheel->slots[i] = 0;
    for (u32 i = 0; i < EVENTS; i++) {
        u32 number = next_random(&random);
        struct connection *connection = &connections[1 + (number >> 16) % CONNECTIONS];
        u32 kind = number >> 28, event = kind < 4 ? SYN : kind < 7 ? SYN_ACK : kind < 13 ? ACK : kind < 15 ? FIN : RST;
        u32 before = connection->state, slot, at;

        connection->state = step(before, event, &refused);
        if (connection->state == ESTABLISHED)
            connection->bytes += number >> 4 & 1023;
        closed += before != CLOSED && connection->state == CLOSED;
        connection->deadline = now + 20;
        if (!connection->waits && connection->state != CLOSED) {
            connection->waits = 1;
            connection->next = wheel->slots[connection->deadline % SLOTS];
            wheel->slots[connection->deadline % SLOTS] = connection - connections;
        }
        if (number & 3)
            continue;
        now++;
        slot = now % SLOTS;
        at = wheel->slots[slot];
        wheel->slots[slot] = 0;
        while (at) {
            struct connection *waiting = &connections[at];
            u32 next = waiting->next;

            if (waiting->state == CLOSED) {
                waiting->waits = 0;
            } else if (waiting->deadline <= now) {
                waiting->waits = 0;
                waiting->state = CLOSED;
                closed++;
            } else {
                waiting->next = wheel->slots[waiting->deadline % SLOTS];
                wheel->slots[waiting->deadline % SLOTS] = at;
            }
            at = next;
        }
    }
    for (u32 i = 1; i <= CONNECTIONS; i++)
        hash = (hash * 31 + connections[i].state) * 31 + connections[i].bytes;
    return closed << 48 | refused << 32 | (hash & 0xffffffff);
}
