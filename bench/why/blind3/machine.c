// A machine with a stack and one function for each instruction. It looks for long Collatz chains.
#include <stdio.h>

struct machine {
    const int *code;
    long stack[32];
    long cells[8];
    int at, top, ended;
};

static void push(struct machine *m) { m->stack[m->top++] = m->code[m->at++]; }
static void load(struct machine *m) { m->stack[m->top++] = m->cells[m->code[m->at++]]; }
static void store(struct machine *m) { m->cells[m->code[m->at++]] = m->stack[--m->top]; }
static void add(struct machine *m) { m->top--; m->stack[m->top - 1] += m->stack[m->top]; }
static void multiply(struct machine *m) { m->top--; m->stack[m->top - 1] *= m->stack[m->top]; }
static void half(struct machine *m) { m->stack[m->top - 1] >>= 1; }
static void odd(struct machine *m) { m->stack[m->top - 1] &= 1; }
static void less(struct machine *m) {
    m->top--;
    m->stack[m->top - 1] = m->stack[m->top - 1] < m->stack[m->top];
}
static void jump(struct machine *m) { m->at = m->code[m->at]; }
static void jump_zero(struct machine *m) { m->at = m->stack[--m->top] ? m->at + 1 : m->code[m->at]; }
static void end(struct machine *m) { m->ended = 1; }

enum { PUSH, LOAD, STORE, ADD, MULTIPLY, HALF, ODD, LESS, JUMP, JUMP_ZERO, END };

static void (*const instructions[])(struct machine *) = {push, load, store, add,  multiply,  half,
                                                         odd,  less, jump,  jump_zero, end};

// The cells: 0 is the number that a chain starts with, 1 the present one, 2 its steps, 3 the most.
static const int chains[] = {
    /*  0 */ PUSH, 1, STORE, 0,
    /*  4 */ LOAD, 0, STORE, 1, PUSH, 0, STORE, 2,
    /* 12 */ PUSH, 1, LOAD, 1, LESS, JUMP_ZERO, 48,
    /* 19 */ LOAD, 1, ODD, JUMP_ZERO, 34,
    /* 24 */ LOAD, 1, PUSH, 3, MULTIPLY, PUSH, 1, ADD, JUMP, 37,
    /* 34 */ LOAD, 1, HALF,
    /* 37 */ STORE, 1, LOAD, 2, PUSH, 1, ADD, STORE, 2, JUMP, 12,
    /* 48 */ LOAD, 3, LOAD, 2, LESS, JUMP_ZERO, 59,
    /* 55 */ LOAD, 2, STORE, 3,
    /* 59 */ LOAD, 0, PUSH, 1, ADD, STORE, 0,
    /* 66 */ LOAD, 0, PUSH, 20000, LESS, JUMP_ZERO, 75,
    /* 73 */ JUMP, 4,
    /* 75 */ END,
};

int main(void) {
    struct machine m = {.code = chains};
    while (!m.ended) {
        instructions[m.code[m.at++]](&m);
    }
    printf("%ld\n", m.cells[3]);
    return 0;
}
