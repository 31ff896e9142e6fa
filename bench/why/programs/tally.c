/* Several threads count into one tally. */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 2, ITEMS = 3000000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long tally;

static void *work(void *argument)
{
    unsigned long own = 0, seed = (unsigned long)argument;
    for (int i = 0; i < ITEMS; i++) {
        seed = seed * 6364136223846793005ul + 1;
#ifdef APART
        own += seed >> 60;
#else
        pthread_mutex_lock(&lock);
        tally += seed >> 60;
        pthread_mutex_unlock(&lock);
#endif
    }
    pthread_mutex_lock(&lock);
    tally += own;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (unsigned long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%lu\n", tally);
    return 0;
}
