/* Loaves of many sizes are baked by two threads, and their heat is worked out. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOAVES = 400, BAKERS = 2 };

static double heat[LOAVES];
static int next;
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;

static double baked(int loaf)
{
    double inner = 20, outer = 220;
    int steps = loaf * 1500;
    for (int i = 0; i < steps; i++) {
        inner += (outer - inner) * 0.0001;
        outer -= (outer - 180) * 0.00001;
    }
    return inner + outer;
}

static void *baker(void *given)
{
    int me = *(int *)given;
#ifdef HALVES
    int from = me * (LOAVES / BAKERS), to = from + LOAVES / BAKERS;
    for (int loaf = from; loaf < to; loaf++)
        heat[loaf] = baked(loaf);
#else
    (void)me;
    for (;;) {
        pthread_mutex_lock(&door);
        int loaf = next++;
        pthread_mutex_unlock(&door);
        if (loaf >= LOAVES)
            break;
        heat[loaf] = baked(loaf);
    }
#endif
    return NULL;
}

int main(void)
{
    pthread_t threads[BAKERS];
    int numbers[BAKERS];
    for (int i = 0; i < BAKERS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, baker, &numbers[i]);
    }
    for (int i = 0; i < BAKERS; i++)
        pthread_join(threads[i], NULL);
    double sum = 0;
    for (int i = 0; i < LOAVES; i++)
        sum += heat[i];
    printf("%.6f\n", sum);
}
