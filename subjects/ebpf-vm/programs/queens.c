/* All ways to put 7 queens on a board of 7 x 7 so that none attacks another, by masks of columns and
 * diagonals on a stack in the memory. Returns ways << 32 | positions tried. */
#include "program.h"

enum { SIZE = 7, ALL = (1 << SIZE) - 1 };

struct level {
    u32 left, columns, right, free;
};

u64 queens(struct level *stack, u64 length)
{
    u64 ways = 0, tried = 0;
    u32 depth = 1;

    stack[0].left = stack[0].columns = stack[0].right = 0;
    stack[0].free = ALL;
    while (depth) {
        struct level *level = &stack[depth - 1];
        u32 queen = level->free & (0 - level->free);

        if (!queen) {
            depth--;
            continue;
        }
        tried++;
        level->free ^= queen;
        if (depth == SIZE) {
            ways++;
            continue;
        }
        level[1].left = (level->left | queen) << 1;
        level[1].columns = level->columns | queen;
        level[1].right = (level->right | queen) >> 1;
        level[1].free = ALL & ~(level[1].left | level[1].columns | level[1].right);
        depth++;
    }
    return ways << 32 | tried;
}
