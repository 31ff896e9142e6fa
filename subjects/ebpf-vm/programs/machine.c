/* An interpreter for a small stack machine, which runs a program that adds up the collatz steps of
 * the numbers below 24: bytecode in the memory, a switch for the operations. Returns the sum << 32 |
 * instructions executed. */
#include "program.h"

enum { HALT, PUSH, LOAD, STORE, ADD, MULTIPLY, HALVE, ODD, JUMP, JUMP_IF, EQUAL };

u64 machine(u8 *code, u64 length)
{
    u64 *stack = (u64 *)(code + 128), *locals = stack + 16, executed = 0;
    u32 at = 0, top = 0;
    u8 *out = code;

#define EMIT1(a) *out++ = (a)
#define EMIT2(a, b) EMIT1(a), EMIT1(b)
    EMIT2(PUSH, 0), EMIT2(STORE, 0), EMIT2(PUSH, 1), EMIT2(STORE, 1);
    /* 8: the next number */
    EMIT2(LOAD, 1), EMIT2(STORE, 2);
    /* 12: until it is 1 */
    EMIT2(LOAD, 2), EMIT2(PUSH, 1), EMIT1(EQUAL), EMIT2(JUMP_IF, 48);
    EMIT2(LOAD, 0), EMIT2(PUSH, 1), EMIT1(ADD), EMIT2(STORE, 0);
    EMIT2(LOAD, 2), EMIT1(ODD), EMIT2(JUMP_IF, 36);
    EMIT2(LOAD, 2), EMIT1(HALVE), EMIT2(JUMP, 44);
    /* 36: odd */
    EMIT2(LOAD, 2), EMIT2(PUSH, 3), EMIT1(MULTIPLY), EMIT2(PUSH, 1), EMIT1(ADD);
    /* 44 */
    EMIT2(STORE, 2), EMIT2(JUMP, 12);
    /* 48 */
    EMIT2(LOAD, 1), EMIT2(PUSH, 1), EMIT1(ADD), EMIT2(STORE, 1);
    EMIT2(LOAD, 1), EMIT2(PUSH, 24), EMIT1(EQUAL), EMIT2(JUMP_IF, 64), EMIT2(JUMP, 8);
    /* 64 */
    EMIT1(HALT);
    for (;;) {
        u8 operation = code[at++];

        if (++executed > 60000)
            return executed;
        switch (operation) {
        case HALT:
            return locals[0] << 32 | executed;
        case PUSH:
            stack[top++ & 15] = code[at++];
            break;
        case LOAD:
            stack[top++ & 15] = locals[code[at++] & 15];
            break;
        case STORE:
            locals[code[at++] & 15] = stack[--top & 15];
            break;
        case ADD:
            top--;
            stack[(top - 1) & 15] += stack[top & 15];
            break;
        case MULTIPLY:
            top--;
            stack[(top - 1) & 15] *= stack[top & 15];
            break;
        case HALVE:
            stack[(top - 1) & 15] >>= 1;
            break;
        case ODD:
            stack[(top - 1) & 15] &= 1;
            break;
        case JUMP:
            at = code[at];
            break;
        case JUMP_IF:
            at = stack[--top & 15] ? code[at] : at + 1;
            break;
        case EQUAL:
            top--;
            stack[(top - 1) & 15] = stack[(top - 1) & 15] == stack[top & 15];
            break;
        }
    }
}
