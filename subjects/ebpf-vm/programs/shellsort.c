/* Fills the memory with pseudo-random words, sorts them, and returns a polynomial over the result,
 * which depends on their order. */
#include "program.h"

u64 shellsort(u32 *words, u64 length)
{
    u64 count = length / 4, sum = 0, gap = 1;
    u32 random = 3;

    for (u64 i = 0; i < count; i++)
        words[i] = next_random(&random);
    while (gap < count / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3) {
        for (u64 i = gap; i < count; i++) {
            u32 moving = words[i];
            u64 hole = i;

            while (hole >= gap && words[hole - gap] > moving) {
                words[hole] = words[hole - gap];
                hole -= gap;
            }
            words[hole] = moving;
        }
    }
    for (u64 i = 0; i < count; i++)
        sum = sum * 31 + words[i];
    return sum;
}
