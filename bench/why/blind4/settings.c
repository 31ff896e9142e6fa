/* Reads settings of the form `key = value` and adds up their sizes with units. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES 1600000

static const char *const lines[] = {
    "cache.size = 64k", "# a remark", "log.rotate= 10m", "  net.window =128k  ",
    "pool.room = 3", "", "heap.limit = 2g", "page.size=4k",
};

struct setting {
    char key[24];
    unsigned long value;
};

static const char *skip(const char *at)
{
    while (*at == ' ')
        at++;
    return at;
}

#ifdef OTHER
/* The same as below, of which the compiler makes the same. */
static unsigned long unit(char suffix)
{
    if (suffix == 'g')
        return 1ul << 30;
    if (suffix == 'm')
        return 1ul << 20;
    return suffix == 'k' ? 1ul << 10 : 1;
}
#else
static unsigned long unit(char letter)
{
    switch (letter) {
    case 'k':
        return 1ul << 10;
    case 'm':
        return 1ul << 20;
    case 'g':
        return 1ul << 30;
    default:
        return 1;
    }
}
#endif

/* The value of a key in which ${...} could stand: put together in a room of its own. */
__attribute__((noinline)) static int parse(const char *line, struct setting *setting)
{
    char word[4096];
    size_t length = 0;
    const char *at = skip(line);
    if (!*at || *at == '#')
        return 0;
    while (*at && *at != '=' && *at != ' ' && length < sizeof word - 1)
        word[length++] = *at++;
    word[length] = 0;
    snprintf(setting->key, sizeof setting->key, "%s", word);
    at = skip(at);
    if (*at != '=')
        return 0;
    at = skip(at + 1);
    length = 0;
    while (isalnum((unsigned char)*at) && length < sizeof word - 1)
        word[length++] = *at++;
    word[length] = 0;
    char *end;
    setting->value = strtoul(word, &end, 10);
    setting->value *= unit(*end);
    return 1;
}

int main(void)
{
    unsigned long total = 0, count = 0;
    struct setting setting;
    for (int i = 0; i < LINES; i++)
        if (parse(lines[i & 7], &setting)) {
            total += setting.value ^ (unsigned char)setting.key[1];
            count++;
        }
    printf("%lu settings, %lu\n", count, total);
    return 0;
}
