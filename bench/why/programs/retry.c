/* Tries doors until each opens. */
#include <stdio.h>
#include <time.h>

#ifndef PAUSE
#define PAUSE 20000
#endif

__attribute__((noinline)) int open_door(int door, int trial)
{
    unsigned long x = (unsigned long)(door * 31 + trial);
    for (int i = 0; i < 200000; i++)
        x = x * 6364136223846793005ul + 1442695040888963407ul;
    return trial == 2 && x != 0;
}

int main(void)
{
    int trials = 0;
    for (int door = 0; door < 40; door++)
        for (int trial = 0; !open_door(door, trial); trial++) {
            struct timespec pause = {0, PAUSE};
            nanosleep(&pause, NULL);
            trials++;
        }
    printf("%d\n", trials);
    return 0;
}
