/* Monthly totals of the large ones in a file of bookings, with records of one size. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BOOKINGS 60000

struct booking {
    uint32_t number;
    uint32_t account;
    int64_t when;
    int32_t cents;
    char text[44];
};

static void fill(FILE *file) {
    uint32_t seed = 7;
    for (uint32_t i = 0; i < BOOKINGS; i++) {
        seed = seed * 1664525u + 1013904223u;
        struct booking b = {i, seed >> 20, 1700000000 + (int64_t)i * 977, (int32_t)(seed % 90000), ""};
        memset(b.text, 'a' + (int)(seed >> 28), sizeof b.text - 1);
        fwrite(&b, sizeof b, 1, file);
    }
    rewind(file);
}

static int load(FILE *file, uint32_t number, struct booking *b) {
#ifdef SEEK
    if (fseek(file, (long)number * (long)sizeof *b, SEEK_SET) != 0)
        return 0;
#else
    (void)number;
#endif
    return fread(b, sizeof *b, 1, file) == 1;
}

static uint32_t digest(const char *text) {
    uint32_t h = 2166136261u;
    for (; *text; text++)
        h = (h ^ (uint8_t)*text) * 16777619u;
    return h;
}

int main(void) {
    FILE *file = tmpfile();
    if (!file)
        return 1;
    fill(file);
    int64_t months[12] = {0};
    uint32_t texts = 0;
    struct booking b;
    for (uint32_t round = 0; round < 3; round++) {
        rewind(file);
        for (uint32_t i = 0; i < BOOKINGS; i++) {
            if (!load(file, i, &b))
                return 1;
            if (b.cents > 67500) {
                time_t when = (time_t)b.when;
                struct tm *day = localtime(&when);
                months[day->tm_mon] += b.cents;
            }
            texts ^= digest(b.text) + b.number;
        }
    }
    for (int i = 0; i < 12; i++)
        printf("%2d %12.2f\n", i + 1, (double)months[i] / 100);
    printf("%08x\n", texts);
    fclose(file);
    return 0;
}
