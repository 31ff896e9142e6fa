/* A thread counts the lengths of words while others may ask for the counts at any time. */
#include <pthread.h>
#include <stdio.h>

#define ROUNDS 1600
#define LENGTH 16384

struct counts {
    pthread_mutex_t mutex;
    unsigned long lengths[16];
};

static struct counts counts = {.mutex = PTHREAD_MUTEX_INITIALIZER};
static unsigned char text[LENGTH];

static void add(int length)
{
#ifdef EACH
    pthread_mutex_lock(&counts.mutex);
    counts.lengths[length]++;
    pthread_mutex_unlock(&counts.mutex);
#else
    counts.lengths[length]++;
#endif
}

static void *count(void *unused)
{
    for (int round = 0; round < ROUNDS; round++) {
#ifndef EACH
        pthread_mutex_lock(&counts.mutex);
#endif
        int length = 0;
        for (int i = 0; i < LENGTH; i++) {
            if (text[i] != ' ') {
                length++;
            } else {
                add(length & 15);
                length = 0;
            }
        }
#ifndef EACH
        pthread_mutex_unlock(&counts.mutex);
#endif
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < LENGTH; i++)
        text[i] = i % 3 == 2 || i % 7 == 6 ? ' ' : 'a' + i % 26;
    pthread_create(&thread, 0, count, 0);
    pthread_join(thread, 0);
    for (int k = 0; k < 16; k++)
        if (counts.lengths[k])
            printf("%d: %lu\n", k, counts.lengths[k]);
    return 0;
}
