/* Moves points by a matrix whose size is known to the compiler, or not. */
#include <stdio.h>
#include <stdlib.h>

#ifdef SIZE
#define WIDTH SIZE
#else
#define WIDTH width
#endif

__attribute__((noinline)) void move(const int *matrix, const int *points, int *into, int count,
                                    int width)
{
    for (int p = 0; p < count; p++, points += WIDTH)
        for (int row = 0; row < WIDTH; row++) {
            int sum = width;
            for (int i = 0; i < WIDTH; i++)
                sum += matrix[row * WIDTH + i] * points[i];
            *into++ = sum;
        }
}

int main(int argc, char **argv)
{
    int width = argc > 1 ? atoi(argv[1]) : 3;
    static int matrix[9] = {1, 2, 3, 0, 1, 2, 3, 0, 1}, points[3000], into[3000];
    long sum = 0;
    for (int i = 0; i < 3000; i++)
        points[i] = i;
    for (int round = 0; round < 12000; round++) {
        matrix[round % 9] ^= 1;
        move(matrix, points, into, 1000, width);
        sum += into[round % 3000];
    }
    printf("%ld\n", sum);
    return 0;
}
