/* Equal programs: names, order and lines differ, what is executed does not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef OTHER



#define W width_of_the_board
#define step advance
#define board cells
#define count neighbours_of
#endif
enum { W = 256, STEPS = 60 };
static unsigned char board[2][W * W];
#ifdef OTHER
static void step(const unsigned char *from, unsigned char *to);
int main(void) {
    int n = 0;
    unsigned seed = 1;
    for (int k = 0; k < W * W; k++) board[0][k] = (seed = seed * 1664525u + 1013904223u) >> 31;
    for (int k = 0; k < STEPS; k++) step(board[k & 1], board[~k & 1]);
    for (int k = 0; k < W * W; k++) n += board[0][k];
    printf("%d\n", n);
}
#endif
static int count(const unsigned char *b, int r, int c) {
    int n = 0;
    for (int dr = -1; dr <= 1; dr++)
        for (int dc = -1; dc <= 1; dc++)
            if (dr || dc) n += b[((r + dr) & (W - 1)) * W + ((c + dc) & (W - 1))];
    return n;
}
static void step(const unsigned char *from, unsigned char *to) {
    for (int r = 0; r < W; r++)
        for (int c = 0; c < W; c++) {
            int n = count(from, r, c);
            to[r * W + c] = n == 3 || (n == 2 && from[r * W + c]);
        }
}
#ifndef OTHER
int main(void) {
    unsigned x = 1;
    int alive = 0;
    for (int i = 0; i < W * W; i++) board[0][i] = (x = x * 1664525u + 1013904223u) >> 31;
    for (int s = 0; s < STEPS; s++) step(board[s & 1], board[~s & 1]);
    for (int i = 0; i < W * W; i++) alive += board[0][i];
    printf("%d\n", alive);
}
#endif
