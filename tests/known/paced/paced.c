/* A program with a known answer whose times are simulated, so that no load of the machine can change
   them: a loop takes STEPS nanoseconds, 4 % more where the linker put `work` an odd number of
   128 bytes away from `origin`, and a little noise that follows from the number of the turn and the
   length of the environment, which is drawn anew for each process: so blocks differ, and no load does.
   Built with -DFEELS it takes longer by the per cent that a file says, its first argument, as a program does
   that one machine does not suit. whyfast believes times of up to 10 ms more than it saw, and grants turns of 2 ms. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef STEPS
#define STEPS 60000
#endif

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    return (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
}

void origin(void) { __asm__ volatile(""); }
#ifdef MOVED
/* Never called: nothing but bytes between the two, as many as make the distance odd. */
void between(void) { __asm__ volatile(".skip 128"); }
#endif
static uint64_t drawn;
__attribute__((noinline)) double work(uint64_t loops, uint64_t turn)
{
    double noise = (double)(mixed(mixed(STEPS + drawn) + turn * 1000003u) >> 11) / 9007199254740992.0 - 0.5;
    return (double)loops * STEPS * (1 + 0.004 * noise);
}
/* What layouts are made of: functions to put between the others. */
#define FILL(n) void fill##n(void) { __asm__ volatile(".skip " #n "1"); }
FILL(5) FILL(9) FILL(13) FILL(6) FILL(10) FILL(14) FILL(7) FILL(11)

int main(int count, char **words)
{
    double longer = 0;
    FILE *here = count > 1 ? fopen(words[1], "r") : NULL;
#ifdef FEELS
    if (!here || fscanf(here, "%lf", &longer) != 1)
        return 3;
#endif
    (void)here;
    int in, out;
    const char *offered = getenv("WHYFAST_TURN"), *pad = getenv("WHYFAST_PAD");
    intptr_t away = (intptr_t)work - (intptr_t)origin;
    double slower = (away < 0 ? -away : away) / 128 % 2 ? 1.04 : 1.0;
    uint64_t turn = 0, loops;
    char line[64];
    if (!offered || sscanf(offered, "%d,%d", &in, &out) != 2)
        return 2;
    drawn = pad ? strlen(pad) : 0;
    FILE *grants = fdopen(in, "r");
    dprintf(out, "ready 1\n");
    while (fgets(line, sizeof line, grants) && sscanf(line, "%" SCNu64, &loops) == 1) {
        double nanoseconds = slower * (1 + longer / 100) * work(loops, ++turn);
        dprintf(out, "%.9f\n", nanoseconds / 1e9);
    }
    return 0;
}
