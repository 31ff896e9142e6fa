/* A nursery: seeds are kept in a large table, and a helper program is run for each bed. */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef BEDS
#define BEDS 60
#endif
#ifndef SEEDS
#define SEEDS 12000000
#endif
#ifndef ROWS
#define ROWS 0
#endif

extern char **environ;

static unsigned *seeds;

static int watered(int bed)
{
    char number[16];
    snprintf(number, sizeof number, "%d", bed);
    char *words[] = {"true", number, 0};
    pid_t child;
    int status = 1;
#ifdef FORKED
    child = fork();
    if (child == 0) {
        execv("/bin/true", words);
        _exit(127);
    }
    if (child < 0)
        return 1;
#else
    if (posix_spawn(&child, "/bin/true", 0, 0, words, environ))
        return 1;
#endif
    waitpid(child, &status, 0);
    return status;
}

static unsigned row(unsigned depth, unsigned from)
{
#ifdef ROOMY
    char plan[16384];
#else
    char plan[512];
#endif
    snprintf(plan, sizeof plan, "%u/%u", depth, from);
    unsigned sum = plan[0] + plan[2];
    if (depth)
        sum += row(depth - 1, from * 3 + 1);
    return sum + (unsigned)strlen(plan);
}

int main(void)
{
    seeds = malloc(SEEDS * sizeof *seeds);
    if (!seeds)
        return 1;
    for (unsigned i = 0; i < SEEDS; i++)
        seeds[i] = i * 2654435761u;
    int failed = 0;
    unsigned long sum = 0;
    for (int bed = 0; bed < BEDS; bed++) {
        failed += watered(bed) != 0;
        sum += seeds[(bed * 7919u) % SEEDS];
    }
    for (unsigned i = 0; i < ROWS; i++)
        sum += row(400, i);
    printf("%d %lu\n", failed, sum);
    return 0;
}
