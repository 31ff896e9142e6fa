/* Threads that take and give back blocks of memory. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *work(void *argument)
{
    unsigned long sum = 0;
    char *held[64] = {0};
    for (unsigned i = 0; i < 3000000; i++) {
        unsigned at = i * 7 % 64;
        free(held[at]);
        held[at] = malloc(1100 + i % 800);
        held[at][0] = (char)i;
        sum += (unsigned long)held[at][0];
    }
    for (int i = 0; i < 64; i++)
        free(held[i]);
    *(unsigned long *)argument = sum;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    unsigned long sums[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &sums[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%lu\n", sums[0] & 1);
    return 0;
}
