/* Adds up the numbers of a long text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 8000 };

__attribute__((noinline)) long add(const char *text)
{
    long sum = 0;
    while (*text) {
        int used = 0;
        int number = 0;
#ifdef BY_WORD
        char word[16];
        memcpy(word, text, 15);
        word[strcspn(text, " ")] = 0;
        sscanf(word, "%d%n", &number, &used);
#else
        sscanf(text, "%d%n", &number, &used);
#endif
        sum += number;
        text += used + 1;
    }
    return sum;
}

int main(void)
{
    char *text = calloc(NUMBERS, 8), *end = text;
    for (int i = 0; i < NUMBERS; i++)
        end += sprintf(end, "%d ", i * 37 % 100000);
    long sum = 0;
    for (int round = 0; round < 40; round++)
        sum += add(text);
    printf("%ld\n", sum);
    return 0;
}
