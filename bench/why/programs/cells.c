/* Two threads, each with a counter of its own that others may read. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#ifndef GAP
#define GAP 8
#endif

static struct {
    _Alignas(GAP) atomic_ulong count;
} cells[2] __attribute__((aligned(256)));

static void *work(void *argument)
{
    unsigned long own = (unsigned long)argument;
    for (int i = 0; i < 8000000; i++)
        atomic_fetch_add_explicit(&cells[own].count, (unsigned long)i & 3, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (unsigned long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%lu\n", cells[0].count + cells[1].count);
    return 0;
}
