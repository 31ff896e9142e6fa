/* Rates many positions of a game. */
#include <stdio.h>

struct board {
    int last;
    unsigned char fields[508];
};

#ifdef BY_VALUE
__attribute__((noinline)) int rate(struct board board, int field)
{
    return board.fields[field] + board.last;
}
#define RATE(b, f) rate(*(b), f)
#else
__attribute__((noinline)) int rate(const struct board *board, int field)
{
    return board->fields[field] + board->last;
}
#define RATE(b, f) rate(b, f)
#endif

static struct board boards[8];

int main(void)
{
    long sum = 0;
    for (int i = 0; i < 6000000; i++) {
        struct board *board = &boards[i % 8];
        board->last = i & 15;
        sum += RATE(board, i % 500);
    }
    printf("%ld\n", sum);
    return 0;
}
