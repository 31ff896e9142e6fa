/* Looks for 8 words of 4 to 11 letters in a made-up text of 3000 letters, with the skips of Boyer,
 * Moore and Horspool: matches << 32 | sum of their places. */
#include "program.h"

enum { TEXT = 3000, LETTERS = 8 };

u64 search(u8 *text, u64 length)
{
    u8 *skip = text + TEXT, *word;
    u32 random = 23;
    u64 matches = 0, sum = 0;

    for (u32 i = 0; i < TEXT; i++)
        text[i] = (next_random(&random) >> 24) % LETTERS;
    for (u32 round = 0; round < 8; round++) {
        u32 size = 4 + round, at = 0;

        word = text + 300 * round + 17;
        if (round & 1)
            size -= 2;
        for (u32 i = 0; i < LETTERS; i++)
            skip[i] = size;
        for (u32 i = 0; i + 1 < size; i++)
            skip[word[i]] = size - 1 - i;
        while (at + size <= TEXT) {
            u32 i = size - 1;

            while (text[at + i] == word[i] && i)
                i--;
            if (i == 0 && text[at] == word[0]) {
                matches++;
                sum += at;
            }
            at += skip[text[at + size - 1]];
        }
    }
    return matches << 32 | sum;
}
