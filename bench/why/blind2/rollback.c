/* Moves amounts between shelves in batches; a batch that would empty a shelf is taken back. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHELVES (6 << 20)
#define BATCH 200000
#define BATCHES 5

static int32_t *shelves;
static uint32_t seed = 11;

static uint32_t draw(uint32_t below) {
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)seed * below >> 32);
}

struct step {
    uint32_t from, to;
    int32_t amount;
};

static int move(const struct step *s) {
    shelves[s->from] -= s->amount;
    shelves[s->to] += s->amount;
    return shelves[s->from] >= 0;
}

static struct step done[BATCH];

/* The batch, or nothing of it: what was done is undone from the list of steps. */
static int batch(void) {
    for (int i = 0; i < BATCH; i++) {
        done[i] = (struct step){draw(SHELVES), draw(SHELVES), (int32_t)draw(40)};
        if (!move(&done[i])) {
            for (; i >= 0; i--) {
                shelves[done[i].from] += done[i].amount;
                shelves[done[i].to] -= done[i].amount;
            }
            return 0;
        }
    }
    return 1;
}

#ifdef SAVED
/* A child keeps the shelves as they were until the batch is through. */
static int saved_batch(void) {
    int ends[2];
    if (pipe(ends) != 0)
        exit(1);
    pid_t child = fork();
    if (child == 0) {
        char end;
        close(ends[1]);
        _exit(read(ends[0], &end, 1) > 0);
    }
    int good = batch();
    close(ends[0]);
    close(ends[1]);
    waitpid(child, NULL, 0);
    return good;
}
#define batch saved_batch
#endif

int main(void) {
    shelves = malloc(SHELVES * sizeof *shelves);
    for (int i = 0; i < SHELVES; i++)
        shelves[i] = 1000 + i % 50;
    int good = 0;
    for (int i = 0; i < BATCHES; i++)
        good += batch();
    uint64_t sum = 0;
    for (int i = 0; i < SHELVES; i++)
        sum = sum * 5 + (uint32_t)shelves[i];
    printf("%d batches, %016llx\n", good, (unsigned long long)sum);
    free(shelves);
    return 0;
}
