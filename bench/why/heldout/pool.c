/* Two workers count words of a text; what they share differs. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORKERS 2
#define SIZE (1 << 22)
static char text[SIZE];
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static atomic_long words;
static long guarded;
static int whose;
#ifdef NEARBY
struct counter { volatile long n; };
#else
struct counter { _Alignas(128) volatile long n; };
#endif
static struct counter counters[WORKERS];
#ifdef SERIAL
static pthread_mutex_t whole = PTHREAD_MUTEX_INITIALIZER;
#endif

static void found(int me) {
#if defined GUARDED
    pthread_mutex_lock(&gate);
    guarded++;
    pthread_mutex_unlock(&gate);
#elif defined ATOMIC
    atomic_fetch_add(&words, 1);
#endif
    counters[me].n++;
}

#ifdef PINGPONG
static void wait_for_turn(int me) {
    pthread_mutex_lock(&gate);
    while (whose != me) pthread_cond_wait(&turn, &gate);
    whose = 1 - me;
    pthread_cond_broadcast(&turn);
    pthread_mutex_unlock(&gate);
}
#endif

static void *work(void *arg) {
    int me = (int)(long)arg;
    size_t from = SIZE / WORKERS * me, to = from + SIZE / WORKERS;
#ifdef SERIAL
    pthread_mutex_lock(&whole);
#endif
    for (int round = 0; round < 6; round++)
        for (size_t i = from + 1; i < to; i++) {
            if (text[i] == ' ' && text[i - 1] != ' ') found(me);
#ifdef PINGPONG
            if (i % 2048 == 0) wait_for_turn(me);
#endif
        }
#ifdef SERIAL
    pthread_mutex_unlock(&whole);
#endif
    return NULL;
}

int main(void) {
    unsigned x = 1;
    for (size_t i = 0; i < SIZE; i++) text[i] = (x = x * 1664525 + 1013904223) >> 30 ? 'a' : ' ';
    pthread_t threads[WORKERS];
    for (long i = 0; i < WORKERS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < WORKERS; i++) pthread_join(threads[i], NULL);
    printf("%ld\n", counters[0].n + counters[1].n);
    (void)guarded, (void)whose, (void)turn, (void)gate, (void)words;
    return 0;
}
