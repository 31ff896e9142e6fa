/* The edit distance (Levenshtein) of two made-up words of 90 letters, row by row, and the length of
 * their longest common subsequence: distance << 32 | length. */
#include "../program.h"

enum { LENGTH = 90 };

static inline __attribute__((always_inline)) u32 least(u32 a, u32 b)
{
    return a < b ? a : b;
}

u64 edit(u8 *a, u64 length)
{
    u8 *b = a + LENGTH;
    u16 *row = (u16 *)(a + 256), *common = row + LENGTH + 1;
    u32 random = 18;

    for (u32 i = 0; i < 2 * LENGTH; i++)
        a[i] = (next_random(&random) >> 24) % 7;
    for (u32 j = 0; j <= LENGTH; j++) {
        row[j] = j;
        common[j] = 0;
    }
    for (u32 i = 0; i < LENGTH; i++) {
        u32 corner = i, before = 0;

        row[0] = i + 1;
        for (u32 j = 0; j < LENGTH; j++) {
            u32 above = row[j + 1], longest = common[j + 1];

            row[j + 1] = least(least(above, row[j]) + 1, corner + (a[i] != b[j]));
            corner = above;
            if (a[i] == b[j])
                common[j + 1] = before + 1;
            else if (common[j] > longest)
                common[j + 1] = common[j];
            before = longest;
        }
    }
    return (u64)row[LENGTH] << 32 | common[LENGTH];
}
