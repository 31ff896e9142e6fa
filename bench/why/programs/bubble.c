/* Keeps short lists in order. */
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) void order(int *list, int count)
{
    for (int end = count - 1; end > 0; end--) {
        int moved = 0;
        for (int i = 0; i < end; i++)
            if (list[i] > list[i + 1]) {
                int kept = list[i];
                list[i] = list[i + 1];
                list[i + 1] = kept;
                moved = 1;
            }
#ifdef EARLY
        if (!moved)
            break;
#else
        list[count] = moved;
#endif
    }
}

int main(void)
{
    static int list[31];
    long sum = 0;
    for (int i = 0; i < 30; i++)
        list[i] = 10 * i;
    for (int round = 0; round < 120000; round++) {
        list[round % 28] += 15;
        order(list, 30);
        sum += list[round % 30];
    }
    printf("%ld\n", sum);
    return 0;
}
