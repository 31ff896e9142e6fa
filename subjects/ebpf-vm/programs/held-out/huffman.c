/* Canonical Huffman codes: counts the 16 letters of a pseudo-random text of 1200, finds the lengths
 * of their codes, writes the text as bits, highest first, and decodes it again by the first code of
 * each length. Returns bits << 32 | a polynomial over the decoded letters. */
#include "../program.h"

enum { LETTERS = 16, TEXT = 1200, LONGEST = 15 };

struct work {
    u8 text[TEXT];
    u8 bits[TEXT];
    u32 weight[2 * LETTERS];
    u8 parent[2 * LETTERS];
    u8 length[LETTERS];
    u8 order[LETTERS];
    u16 code[LETTERS];
    u16 first[LONGEST + 1];
    u16 before[LONGEST + 1];
    u16 count[LONGEST + 1];
};

static inline __attribute__((always_inline)) void find_lengths(struct work *work)
{
    u32 nodes = LETTERS;

    for (u32 i = 0; i < LETTERS; i++)
        work->weight[i] = 1;
    for (u32 i = 0; i < TEXT; i++)
        work->weight[work->text[i]]++;
    for (; nodes < 2 * LETTERS - 1; nodes++) {
        u32 least = 255, second = 255;

        for (u32 i = 0; i < nodes; i++) {
            if (!work->weight[i])
                continue;
            if (least == 255 || work->weight[i] < work->weight[least]) {
                second = least;
                least = i;
            } else if (second == 255 || work->weight[i] < work->weight[second]) {
                second = i;
            }
        }
        work->weight[nodes] = work->weight[least] + work->weight[second];
        work->weight[least] = work->weight[second] = 0;
        work->parent[least] = work->parent[second] = nodes;
    }
    for (u32 i = 0; i < LETTERS; i++) {
        u32 length = 0;

        for (u32 at = i; at != 2 * LETTERS - 2; at = work->parent[at])
            length++;
        work->length[i] = length;
    }
}

static inline __attribute__((always_inline)) void find_codes(struct work *work)
{
    u32 code = 0, placed = 0;

    for (u32 length = 1; length <= LONGEST; length++) {
        code <<= 1;
        work->first[length] = code;
        work->before[length] = placed;
        work->count[length] = 0;
        for (u32 i = 0; i < LETTERS; i++)
            if (work->length[i] == length) {
                work->code[i] = code++;
                work->order[placed++] = i;
                work->count[length]++;
            }
    }
}

u64 huffman(struct work *work, u64 length)
{
    u32 random = 14, held = 0, holds = 0, at = 0, got = 0;
    u64 bits = 0, sum = 0;

    for (u32 i = 0; i < TEXT; i++) {
        u32 number = next_random(&random);
        u32 low = number >> 28, high = number >> 20 & 15;

        work->text[i] = low < high ? low : high;
    }
    find_lengths(work);
    find_codes(work);
    for (u32 i = 0; i < TEXT; i++) {
        u32 letter = work->text[i];

        held = held << work->length[letter] | work->code[letter];
        holds += work->length[letter];
        bits += work->length[letter];
        while (holds >= 8) {
            holds -= 8;
            work->bits[at++] = held >> holds;
        }
    }
    work->bits[at] = held << (8 - holds);
    held = holds = at = 0;
    while (got < TEXT) {
        u32 code = 0, size = 0;

        do {
            if (holds == 0) {
                held = work->bits[at++];
                holds = 8;
            }
            holds--;
            code = code << 1 | (held >> holds & 1);
            size++;
        } while (size < LONGEST && code - work->first[size] >= work->count[size]);
        sum = sum * 31 + work->order[work->before[size] + code - work->first[size]];
        got++;
    }
    return bits << 32 | (u32)sum;
}
