/* A program whose speed depends on where the linker puts it; README.md explains.
 *
 * Forty small functions are called one after another, over and over. Each is followed by a function
 * that is never called and COLD bytes long. COLD decides how far apart the called ones lie: where
 * that is a multiple of 4096, all forty compete for the same few places of every cache and table
 * that looks code up by the low bits of its address, and push each other out.
 *
 * EXTRA is so many per cent more work, exactly, with no other change of the machine code than one
 * number. HOT marks the called functions as hot, so that compiler and linker keep them together.
 */
#include "whyfast_turn.h"

#ifndef COLD
#define COLD 4144
#endif
#ifndef EXTRA
#define EXTRA 0
#endif
#define ROUNDS (100 + EXTRA)

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

#ifdef HOT
#define MAYBE_HOT __attribute__((hot))
#else
#define MAYBE_HOT
#endif

/* The order in the program must be the order in this file. clang keeps it anyway. */
#if defined(__GNUC__) && !defined(__clang__)
#define IN_ORDER __attribute__((no_reorder))
#else
#define IN_ORDER
#endif

/* Each result needs the one before. That takes longer than fetching the code does, as long as it is
 * in the nearest cache, so that only a conflict shows. The empty statements keep the compiler from
 * joining the multiplications. */
static inline uint64_t work(uint64_t x)
{
    x *= 1103515245u;
    __asm__ volatile("" : "+r"(x));
    return x * 1103515245u;
}

#define PAIR(n)                                                                                    \
    MAYBE_HOT IN_ORDER __attribute__((noinline)) static uint64_t step_##n(uint64_t x)              \
    {                                                                                              \
        return work(x) + (n);                                                                      \
    }                                                                                              \
    IN_ORDER __attribute__((noinline, used)) static void never_##n(void)                           \
    {                                                                                              \
        __asm__ volatile(".skip " TEXT(COLD));                                                     \
    }

#define FORTY(X)                                                                                   \
    X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19)                                    \
    X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29)                                    \
    X(30) X(31) X(32) X(33) X(34) X(35) X(36) X(37) X(38) X(39)                                    \
    X(40) X(41) X(42) X(43) X(44) X(45) X(46) X(47) X(48) X(49)

#define CALL(n) x = step_##n(x);

FORTY(PAIR)

static volatile uint64_t sink;

static uint64_t run(void *state, uint64_t loops)
{
    uint64_t x = 1;

    (void)state;
    for (uint64_t loop = 0; loop < loops; loop++)
        for (int round = 0; round < ROUNDS; round++) {
            FORTY(CALL)
        }
    sink = x;
    return 1;
}

int main(void)
{
    return whyfast_turns(run, 0);
}
