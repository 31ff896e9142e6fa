/* One thread hands items to another one. */
#include <pthread.h>
#include <stdio.h>

#ifndef BATCH
#define BATCH 10
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static int waiting;
static long taken;

static void *take(void *argument)
{
    for (long rest = (long)argument; rest > 0; rest -= BATCH) {
        pthread_mutex_lock(&lock);
        while (!waiting)
            pthread_cond_wait(&moved, &lock);
        taken += waiting;
        waiting = 0;
        pthread_cond_signal(&moved);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t taker;
    pthread_create(&taker, NULL, take, (void *)20000);
    for (int item = 0; item < 20000; item += BATCH) {
        pthread_mutex_lock(&lock);
        while (waiting)
            pthread_cond_wait(&moved, &lock);
        waiting = BATCH;
        pthread_cond_signal(&moved);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(taker, NULL);
    printf("%ld\n", taken);
    return 0;
}
