/* A relay: a thread answers requests from a queue, payloads are sealed, and blocks are scanned. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REQUESTS 150
#define PAYLOADS 700
#define SIZE 8192
#define BLOCK (1 << 21)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER, answered = PTHREAD_COND_INITIALIZER;
static int waiting = 0, finished = 0;
static uint64_t request = 0, answer = 0;
static uint8_t payloads[PAYLOADS][SIZE];
static uint32_t block[BLOCK];
static atomic_size_t progress;

__attribute__((noinline)) static uint64_t work(uint64_t seed, int steps) {
    for (int i = 0; i < steps; i++) seed = seed * 6364136223846793005u + (seed >> 29);
    return seed;
}

/* Answers each request until the relay is finished. */
static void *serve(void *unused) {
    pthread_mutex_lock(&lock);
    for (;;) {
#ifdef POLL
        while (!waiting && !finished) {
            pthread_mutex_unlock(&lock);
            usleep(400);
            pthread_mutex_lock(&lock);
        }
#else
        while (!waiting && !finished) pthread_cond_wait(&arrived, &lock);
#endif
        if (!waiting) break;
        answer = work(request, 60000);
        waiting = 0;
        pthread_cond_signal(&answered);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static uint64_t ask(uint64_t number) {
    pthread_mutex_lock(&lock);
    request = number;
    waiting = 1;
    pthread_cond_signal(&arrived);
    while (waiting) pthread_cond_wait(&answered, &lock);
    uint64_t got = answer;
    pthread_mutex_unlock(&lock);
    return got;
}

/* Appends a checksum to a payload. */
static void *seal(void *payload) {
    uint8_t *bytes = payload;
    uint32_t a = 1, b = 0;
    for (int i = 0; i < SIZE - 4; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    memcpy(bytes + SIZE - 4, &b, 4);
    return payload;
}

static void seal_all(void) {
    for (int i = 0; i < PAYLOADS; i++) {
#ifdef EACH
        pthread_t thread;
        if (pthread_create(&thread, NULL, seal, payloads[i])) abort();
        pthread_join(thread, NULL);
#else
        seal(payloads[i]);
#endif
    }
}

/* Scans a block and keeps a count that a status page may read. */
__attribute__((noinline)) static uint32_t scan(const uint32_t *words, size_t count) {
    uint32_t hash = 17;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ words[i]) * 16777619u;
#ifdef ORDERED
        atomic_store(&progress, i);
#else
        atomic_store_explicit(&progress, i, memory_order_relaxed);
#endif
    }
    return hash;
}

int main(void) {
    pthread_t server;
    if (pthread_create(&server, NULL, serve, NULL)) abort();
    for (size_t i = 0; i < sizeof payloads; i++) payloads[i / SIZE][i % SIZE] = (uint8_t)(i * 167 >> 3);
    for (size_t i = 0; i < BLOCK; i++) block[i] = (uint32_t)(i * 2654435761u);
    uint64_t sum = 0;
#ifdef OTHER
    int number = REQUESTS;
    while (number-- > 0) sum ^= ask((uint64_t)(REQUESTS - 1 - number));
#else
    for (int i = 0; i < REQUESTS; i++) sum ^= ask(i);
#endif
    pthread_mutex_lock(&lock);
    finished = 1;
    pthread_cond_signal(&arrived);
    pthread_mutex_unlock(&lock);
    pthread_join(server, NULL);
    seal_all();
    for (int pass = 0; pass < 8; pass++) sum += scan(block, BLOCK) + payloads[pass][SIZE - 3];
    printf("%llu %zu\n", (unsigned long long)sum, atomic_load(&progress));
    return 0;
}
