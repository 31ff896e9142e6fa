/* A state machine fed with pseudo-random characters, which splits them into words, numbers,
 * quoted strings and comments: mostly branches that are hard to predict. Returns the number of
 * each kind in 16 bits: words, numbers, strings, comments from the lowest. */
#include "program.h"

enum state { BETWEEN, WORD, NUMBER, STRING, ESCAPE, COMMENT };

u64 scanner(void *memory, u64 length)
{
    u64 words = 0, numbers = 0, strings = 0, comments = 0;
    enum state state = BETWEEN;
    u32 random = 4;

    for (u32 i = 0; i < 3000; i++) {
        u32 c = next_random(&random) >> 25;

        switch (state) {
        case BETWEEN:
            if (c >= 'a' && c <= 'z') {
                state = WORD;
                words++;
            } else if (c >= '0' && c <= '9') {
                state = NUMBER;
                numbers++;
            } else if (c == '"' || c == '\'') {
                state = STRING;
                strings++;
            } else if (c == '#' || c == ';') {
                state = COMMENT;
                comments++;
            }
            break;
        case WORD:
            if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')))
                state = BETWEEN;
            break;
        case NUMBER:
            if (!(c >= '0' && c <= '9') && c != '.')
                state = BETWEEN;
            break;
        case STRING:
            if (c == '\\')
                state = ESCAPE;
            else if (c == '"' || c < 16)
                state = BETWEEN;
            break;
        case ESCAPE:
            state = STRING;
            break;
        case COMMENT:
            if (c < 8)
                state = BETWEEN;
            break;
        }
    }
    return comments << 48 | strings << 32 | numbers << 16 | words;
}
