/* Splits work among threads. */
#include <pthread.h>
#include <stdio.h>

#ifndef CREW
#define CREW 2
#endif

static unsigned long results[CREW * 16];

static void *work(void *argument)
{
    unsigned long own = (unsigned long)argument, x = own + 1;
    for (int i = 0; i < 120000000 / CREW; i++)
        x = x * 6364136223846793005ul + 1442695040888963407ul;
    results[own * 16] = x;
    return NULL;
}

int main(void)
{
    pthread_t crew[CREW];
    for (unsigned long i = 0; i < CREW; i++)
        pthread_create(&crew[i], NULL, work, (void *)i);
    for (int i = 0; i < CREW; i++)
        pthread_join(crew[i], NULL);
    printf("%lu\n", results[0] & 1);
    return 0;
}
