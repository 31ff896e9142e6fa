/* Writes words in capitals, as the locale has them. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

__attribute__((noinline)) long capitals(const char *text)
{
    wchar_t letter;
    long sum = 0;
    mbstate_t state;
    memset(&state, 0, sizeof state);
    for (size_t used; (used = mbrtowc(&letter, text, 8, &state)) > 0; text += used)
        sum += (long)towupper((wint_t)letter);
    return sum;
}

int main(void)
{
    setlocale(LC_ALL, "");
    long sum = 0;
    for (int i = 0; i < 60000; i++)
        sum += capitals("some words that are written in small letters only");
    printf("%ld\n", sum);
    return 0;
}
