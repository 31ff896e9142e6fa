/* Solves a list of sudokus within a budget of time. */
#include <stdio.h>
#include <string.h>
#include <time.h>

static int rows[9], columns[9], boxes[9];
static char grid[81];
static long nodes;
static clock_t deadline;

static int late(void) {
#ifdef EACH
    return clock() > deadline;
#else
    return nodes % 4096 == 0 && clock() > deadline;
#endif
}

static int box(int cell) { return cell / 27 * 3 + cell % 9 / 3; }

static void set(int cell, int digit) {
    int bit = 1 << digit;
    grid[cell] = (char)digit;
    rows[cell / 9] ^= bit;
    columns[cell % 9] ^= bit;
    boxes[box(cell)] ^= bit;
}

static int possible(int cell) {
    return ~(rows[cell / 9] | columns[cell % 9] | boxes[box(cell)]) & 0x3fe;
}

/* The empty cell with the fewest possible digits, or -1. */
static int narrowest(void) {
    int best = -1, least = 10;
    for (int cell = 0; cell < 81; cell++) {
        if (grid[cell])
            continue;
        int count = __builtin_popcount((unsigned)possible(cell));
        if (count < least) {
            least = count;
            best = cell;
        }
    }
    return best;
}

static int solve(void) {
    nodes++;
    if (late())
        return -1;
    int cell = narrowest();
    if (cell < 0)
        return 1;
    int found = 0;
    for (int digit = 1; digit <= 9; digit++) {
        if (!(possible(cell) >> digit & 1))
            continue;
        set(cell, digit);
        found = solve();
        if (found)
            return found;
        set(cell, digit);
        grid[cell] = 0;
    }
    return 0;
}

static int load(const char *text) {
    memset(rows, 0, sizeof rows);
    memset(columns, 0, sizeof columns);
    memset(boxes, 0, sizeof boxes);
    memset(grid, 0, sizeof grid);
    for (int cell = 0; cell < 81; cell++)
        if (text[cell] != '.')
            set(cell, text[cell] - '0');
    return 81;
}

int main(void) {
    static const char *const puzzles[] = {
        "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......",
        "52...6.........7.13...........4..8..6......5...........418.........3..2...87.....",
        "6.....8.3.4.7.................5.4.7.3..2.....1.6.......2.....5.....8.6......1....",
        "48.3............71.2.......7.5....6....2..8.............1.76...3.....4......5....",
    };
    long sum = 0;
    deadline = clock() + 60 * CLOCKS_PER_SEC;
    for (int again = 0; again < 10; again++)
        for (int p = 0; p < 4; p++) {
            load(puzzles[p]);
            if (solve() == 1)
                for (int cell = 0; cell < 81; cell++)
                    sum += grid[cell] * (cell + 1);
        }
    printf("%ld nodes, check %ld\n", nodes, sum);
    return 0;
}
