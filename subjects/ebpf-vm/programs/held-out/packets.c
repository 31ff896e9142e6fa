/* A packet filter: 40 made-up Ethernet frames of IPv4 and IPv6, some with VLAN tags, TCP, UDP or
 * ICMP, are parsed with all lengths checked, and matched against a small list of rules. Returns
 * packets dropped << 48 | malformed << 32 | a sum over source ports and verdicts. */
#include "../program.h"

enum { FRAME = 96, FRAMES = 40, ROUNDS = 12 };
enum { PASS, DROP, MALFORMED };

struct five {
    u32 source, target;
    u16 source_port, target_port;
    u8 protocol;
};

static inline __attribute__((always_inline)) u16 be16(const u8 *at)
{
    return at[0] << 8 | at[1];
}

static inline __attribute__((always_inline)) u32 be32(const u8 *at)
{
    return (u32)at[0] << 24 | (u32)at[1] << 16 | (u32)at[2] << 8 | at[3];
}

static inline __attribute__((always_inline)) void make(u8 *frame, u32 number, u32 *random)
{
    u32 at = 12;

    for (u32 i = 0; i < FRAME; i++)
        frame[i] = next_random(random) >> 24;
    if (number % 3 == 0) {
        frame[at] = 0x81;
        frame[at + 1] = 0;
        at += 4;
    }
    frame[at] = number % 5 == 4 ? 0x86 : 0x08;
    frame[at + 1] = number % 5 == 4 ? 0xdd : 0;
    at += 2;
    if (number % 5 == 4) {
        frame[at] = 0x60;
        frame[at + 6] = number % 2 ? 6 : 17;
    } else {
        frame[at] = number % 7 == 6 ? 0x46 : 0x45;
        frame[at + 2] = 0;
        frame[at + 3] = number % 11 == 10 ? 200 : 60;
        frame[at + 6] = number % 13 == 12 ? 0x20 : 0x40;
        frame[at + 9] = number % 4 == 3 ? 1 : number % 2 ? 6 : 17;
        frame[at + 12] = number % 6 == 5 ? 127 : 10;
        frame[at + 16] = 10;
    }
}

static inline __attribute__((always_inline)) u32 parse(const u8 *frame, u32 length, struct five *five)
{
    u32 at = 14, header;
    u16 type = be16(frame + 12);

    if (type == 0x8100) {
        type = be16(frame + 16);
        at = 18;
    }
    if (type == 0x0800) {
        header = (frame[at] & 15) * 4;
        if (frame[at] >> 4 != 4 || header < 20 || at + header > length)
            return MALFORMED;
        if (at + be16(frame + at + 2) > length)
            return MALFORMED;
        if (be16(frame + at + 6) & 0x3fff)
            return DROP;
        five->protocol = frame[at + 9];
        five->source = be32(frame + at + 12);
        five->target = be32(frame + at + 16);
    } else if (type == 0x86dd) {
        header = 40;
        if (frame[at] >> 4 != 6 || at + header > length)
            return MALFORMED;
        five->protocol = frame[at + 6];
        five->source = be32(frame + at + 8) ^ be32(frame + at + 20);
        five->target = be32(frame + at + 24) ^ be32(frame + at + 36);
    } else {
        return DROP;
    }
    at += header;
    if (five->protocol == 6 || five->protocol == 17) {
        if (at + (five->protocol == 6 ? 20 : 8) > length)
            return MALFORMED;
        five->source_port = be16(frame + at);
        five->target_port = be16(frame + at + 2);
    } else {
        five->source_port = five->target_port = 0;
    }
    return PASS;
}

static inline __attribute__((always_inline)) u32 judge(const struct five *five)
{
    if ((five->source & 0xff000000) == 0x7f000000)
        return DROP;
    if (five->protocol == 17 && five->target_port < 1024 && five->target_port != 53)
        return DROP;
    if (five->protocol == 6 && (five->target_port == 23 || five->source_port > 60000))
        return DROP;
    if (five->protocol == 1 && (five->target & 0xff) == 0xff)
        return DROP;
    return PASS;
}

u64 packets(u8 *memory, u64 length)
{
    u64 dropped = 0, malformed = 0, sum = 0;
    u32 random = 6;

    for (u32 i = 0; i < FRAMES; i++)
        make(memory + i * FRAME, i, &random);
    for (u32 round = 0; round < ROUNDS; round++) {
        for (u32 i = 0; i < FRAMES; i++) {
            struct five five;
            u32 verdict = parse(memory + i * FRAME, 54 + (i + round * 7) % 43, &five);

            if (verdict == PASS) {
                verdict = judge(&five);
                sum = (sum * 3 + five.source_port + verdict) & 0xffffffff;
            }
            dropped += verdict == DROP;
            malformed += verdict == MALFORMED;
        }
    }
    return dropped << 48 | malformed << 32 | sum;
}
