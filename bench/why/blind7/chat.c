/* A chat server: clients join rooms, talk and ask who is there, by lines over sockets. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* How often clients write, and how seldom they paste. */
#ifndef ROUNDS
#define ROUNDS 20000
#define EVERY 20
#endif

enum { CLIENTS = 400, ROOMS = 32, HOLD = 16384 };

struct room {
    unsigned members;
    unsigned long said;
    uint64_t digest;
};

struct client {
    int fd, far;
    int room;
    size_t held;
    unsigned long lines;
    char in[HOLD];
};

static struct client clients[CLIENTS];
static struct room rooms[ROOMS];
static unsigned long unknown;

static uint64_t mixed(uint64_t digest, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        digest = (digest ^ (unsigned char)text[i]) * 1099511628211u;
    return digest;
}

static int number(const char *text, size_t length)
{
    int value = 0;
    for (size_t i = 0; i < length && text[i] >= '0' && text[i] <= '9'; i++)
        value = value * 10 + text[i] - '0';
    return value;
}

static void handle(struct client *c, const char *line, size_t length)
{
    c->lines++;
    if (length > 5 && !memcmp(line, "JOIN ", 5)) {
        if (c->room >= 0)
            rooms[c->room].members--;
        c->room = number(line + 5, length - 5) % ROOMS;
        rooms[c->room].members++;
    } else if (length > 4 && !memcmp(line, "SAY ", 4)) {
        if (c->room < 0)
            return;
        struct room *r = &rooms[c->room];
        r->said++;
        r->digest = mixed(r->digest, line + 4, length - 4);
    } else if (length == 3 && !memcmp(line, "WHO", 3)) {
        if (c->room >= 0)
            rooms[c->room].digest += rooms[c->room].members;
    } else {
        unknown++;
    }
}

/* What has come in, line by line; the rest of a line is kept until more comes. */
static void lines_of(struct client *c)
{
#ifdef SHIFT
    char *end;
    while ((end = memchr(c->in, '\n', c->held))) {
        handle(c, c->in, end - c->in);
        size_t used = end + 1 - c->in;
        c->held -= used;
        memmove(c->in, end + 1, c->held);
    }
#else
    char *at = c->in, *stop = c->in + c->held, *end;
    while ((end = memchr(at, '\n', stop - at))) {
        handle(c, at, end - at);
        at = end + 1;
    }
    c->held = stop - at;
    memmove(c->in, at, c->held);
#endif
}

static void readable(struct client *c)
{
    ssize_t got = read(c->fd, c->in + c->held, HOLD - c->held);
    if (got <= 0) {
        perror("read");
        exit(1);
    }
    c->held += got;
    lines_of(c);
    if (c->held == HOLD)
        c->held = 0; /* a line that is too long */
}

#ifdef POLL
static struct pollfd polled[CLIENTS];

static void watch(void)
{
    for (int i = 0; i < CLIENTS; i++)
        polled[i] = (struct pollfd){.fd = clients[i].fd, .events = POLLIN};
}

static void serve(void)
{
    int ready = poll(polled, CLIENTS, 0);
    for (int i = 0; i < CLIENTS && ready > 0; i++) {
        if (polled[i].revents & POLLIN) {
            readable(&clients[i]);
            ready--;
        }
    }
}
#else
static int watched;

static void watch(void)
{
    watched = epoll_create1(0);
    for (int i = 0; i < CLIENTS; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &clients[i]};
        epoll_ctl(watched, EPOLL_CTL_ADD, clients[i].fd, &event);
    }
}

static void serve(void)
{
    struct epoll_event events[64];
    int ready = epoll_wait(watched, events, 64, 0);
    for (int i = 0; i < ready; i++)
        readable(events[i].data.ptr);
}
#endif

static unsigned drawn(unsigned *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* Clients: most write a line now and then, some paste a long text. */
static void typed(struct client *c, unsigned *seed)
{
    char text[128];
    int length = drawn(seed) % 9 == 0 ? sprintf(text, "JOIN %u\nWHO\n", drawn(seed) % 100)
                                      : sprintf(text, "SAY line %u of a talk\n", drawn(seed) % 1000);
    if (write(c->far, text, length) != length)
        exit(1);
}

static void pasted(struct client *c, unsigned *seed)
{
    char text[12000];
    size_t length = 0;
    while (length + 40 < sizeof text)
        length += sprintf(text + length, "SAY %x\n", drawn(seed) % 4096);
    if (write(c->far, text, length) != (ssize_t)length)
        exit(1);
}

int main(void)
{
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    for (int i = 0; i < CLIENTS; i++) {
        int both[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, both)) {
            perror("socketpair");
            return 1;
        }
        clients[i].fd = both[0];
        clients[i].far = both[1];
        clients[i].room = i % ROOMS;
        rooms[i % ROOMS].members++;
    }
    watch();
    unsigned seed = 5;
    for (int round = 0; round < ROUNDS; round++) {
        typed(&clients[drawn(&seed) % CLIENTS], &seed);
        serve();
        if (round % EVERY == 0) {
            pasted(&clients[drawn(&seed) % CLIENTS], &seed);
            serve();
        }
    }
    unsigned long said = 0;
    uint64_t digest = unknown;
    for (int i = 0; i < ROOMS; i++) {
        said += rooms[i].said;
        digest = digest * 31 + rooms[i].digest;
    }
    printf("%lu lines said, %016llx\n", said, (unsigned long long)digest);
    return 0;
}
