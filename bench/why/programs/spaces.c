/* Replaces spaces of lines by underscores. */
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) int replace(char *line)
{
    int count = 0;
#ifdef ONCE
    size_t length = strlen(line);
    for (size_t i = 0; i < length; i++)
#else
    for (size_t i = 0; i < strlen(line); i++)
#endif
        if (line[i] == ' ') {
            line[i] = '_';
            count++;
        }
    return count;
}

int main(void)
{
    static char line[1001];
    long sum = 0;
    for (int round = 0; round < 10000; round++) {
        for (int i = 0; i < 1000; i++)
            line[i] = (i + round) % 7 ? 'x' : ' ';
        sum += replace(line);
    }
    printf("%ld\n", sum);
    return 0;
}
