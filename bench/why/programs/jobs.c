/* Does small jobs, in a process each or together. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef TOGETHER
#define TOGETHER 1
#endif

enum { JOBS = 300 };

__attribute__((noinline)) int job(int number)
{
    unsigned x = (unsigned)number;
    for (int i = 0; i < 60000; i++)
        x = x * 1664525u + 1013904223u;
    return (int)(x >> 31);
}

int main(void)
{
    int sum = 0;
    for (int first = 0; first < JOBS; first += TOGETHER) {
        pid_t child = fork();
        if (child == 0) {
            int ones = 0;
            for (int i = first; i < first + TOGETHER; i++)
                ones += job(i);
            _exit(ones);
        }
        int status;
        waitpid(child, &status, 0);
        sum += WEXITSTATUS(status);
    }
    printf("%d\n", sum);
    return 0;
}
