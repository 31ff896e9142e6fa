/* Joins names to one line, separated by commas. */
#include <stdio.h>
#include <string.h>

enum { NAMES = 500, ROUNDS = 10000 };

static char line[NAMES * 8 + 1];

__attribute__((noinline)) size_t join(const char *const *names, int count)
{
    line[0] = 0;
#ifdef AT_END
    char *end = line;
    for (int i = 0; i < count; i++) {
        end = stpcpy(end, names[i % 4]);
        end = stpcpy(end, ",");
    }
#else
    for (int i = 0; i < count; i++) {
        strcat(line, names[i % 4]);
        strcat(line, ",");
    }
#endif
    return strlen(line);
}

int main(void)
{
    static const char *const names[] = {"anna", "bob", "charlie", "dora"};
    size_t sum = 0;
    for (int round = 0; round < ROUNDS; round++)
        sum += join(names, NAMES - round % 100);
    printf("%zu\n", sum);
    return 0;
}
