/* A kitchen: one takes orders, cooks wait until there is something to do, and the dishes are served in order. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COOKS = 16, PLACES = 8, ORDERS = 9000 };

struct order {
    unsigned number, dish;
    uint64_t result;
    int done;
};

static struct order orders[ORDERS];
static int queue[PLACES];
static int first, waiting, closed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static pthread_cond_t room = PTHREAD_COND_INITIALIZER;

static uint64_t cooked(const struct order *o)
{
    uint64_t state = o->dish * 2654435761u + o->number;
    unsigned steps = 600 + o->dish % 7 * 100;
    for (unsigned i = 0; i < steps; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    return state;
}

static void *cook(void *nothing)
{
    (void)nothing;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!waiting && !closed)
            pthread_cond_wait(&work, &lock);
        if (!waiting)
            break;
        struct order *o = &orders[queue[first]];
        first = (first + 1) % PLACES;
        waiting--;
        pthread_mutex_unlock(&lock);
        uint64_t result = cooked(o);
        pthread_mutex_lock(&lock);
        o->result = result;
        o->done = 1;
        pthread_cond_signal(&room);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void ordered(int number)
{
    pthread_mutex_lock(&lock);
    orders[number].number = number;
    orders[number].dish = number * 2246822519u >> 16;
    queue[(first + waiting) % PLACES] = number;
    waiting++;
#ifdef ALL
    pthread_cond_broadcast(&work);
#else
    pthread_cond_signal(&work);
#endif
    /* The guests of a table are served before the next table orders. */
    if (number % 2 == 1)
        while (!orders[number].done || !orders[number - 1].done)
            pthread_cond_wait(&room, &lock);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t cooks[COOKS];
    for (int i = 0; i < COOKS; i++)
        pthread_create(&cooks[i], NULL, cook, NULL);
    for (int i = 0; i < ORDERS; i++)
        ordered(i);
    pthread_mutex_lock(&lock);
    closed = 1;
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&lock);
    uint64_t digest = 0;
    for (int i = 0; i < COOKS; i++)
        pthread_join(cooks[i], NULL);
    for (int i = 0; i < ORDERS; i++)
        digest = digest * 31 + orders[i].result;
    printf("%d orders, %016llx\n", ORDERS, (unsigned long long)digest);
    return 0;
}
