/* Puts the numbers of a file in order. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) void insert(int *shelf, int count, int number)
{
    int at = count;
    for (; at > 0 && shelf[at - 1] > number; at--)
        shelf[at] = shelf[at - 1];
    shelf[at] = number;
}

int main(int argc, char **argv)
{
    FILE *file = fopen(argc > 1 ? argv[1] : "numbers.txt", "r");
    int *shelf = malloc(100000 * sizeof *shelf), count = 0, number;
    if (!file || !shelf)
        return 1;
    while (count < 100000 && fscanf(file, "%d", &number) == 1)
        insert(shelf, count++, number);
    fclose(file);
    printf("%d %d\n", count, shelf[count / 2]);
    free(shelf);
    return 0;
}
