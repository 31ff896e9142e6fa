/* A mailbox: letters are parsed, kept in a file of records of one size, and counted by sender. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef LETTERS
#define LETTERS 150000
#endif

enum { SENDERS = 499, FIELD = 4096 };

struct letter {
    char from[FIELD], to[FIELD], subject[FIELD], id[FIELD];
    unsigned size;
};

struct record {
    uint32_t sender, size, day, next;
};

static unsigned seed = 17;
static uint32_t newest[SENDERS];
static unsigned long bytes[SENDERS];

static unsigned drawn(unsigned below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

static void kept(char *field, const char *text)
{
#ifdef PADDED
    strncpy(field, text, FIELD - 1);
    field[FIELD - 1] = 0;
#else
    size_t length = strlen(text);
    if (length >= FIELD)
        length = FIELD - 1;
    memcpy(field, text, length);
    field[length] = 0;
#endif
}

static void parsed(struct letter *letter, char *text)
{
    char *line = text;
    while (line && *line) {
        char *end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        if (!strncmp(line, "From: ", 6))
            kept(letter->from, line + 6);
        else if (!strncmp(line, "To: ", 4))
            kept(letter->to, line + 4);
        else if (!strncmp(line, "Subject: ", 9))
            kept(letter->subject, line + 9);
        else if (!strncmp(line, "Id: ", 4))
            kept(letter->id, line + 4);
        line = end;
    }
}

static unsigned number(const char *text)
{
    unsigned value = 0;
    while (*text && *text != '@')
        if (*text >= '0' && *text <= '9')
            value = value * 10 + (unsigned)(*text++ - '0');
        else
            text++;
    return value;
}

static void guarded(int file, short kind, off_t at)
{
    struct flock lock = {.l_type = kind, .l_whence = SEEK_SET, .l_start = at, .l_len = sizeof(struct record)};
    if (fcntl(file, F_SETLK, &lock) < 0)
        abort();
}

int main(void)
{
    static struct record block[256];
    char path[] = "/tmp/mailboxXXXXXX", text[512];
    int file = mkstemp(path);
    unlink(path);
    unsigned filled = 0;
    static struct letter letter;
    guarded(file, F_WRLCK, 0);
    for (uint32_t i = 0; i < LETTERS; i++) {
        snprintf(text, sizeof text, "From: a%u@example.org\nTo: desk-%u\nSubject: order %u\nId: %x\n",
                 drawn(SENDERS), drawn(9), drawn(100000), i);
        parsed(&letter, text);
        unsigned sender = number(letter.from);
        struct record *record = &block[filled];
#ifdef EACH
        guarded(file, F_WRLCK, (off_t)(i * sizeof *record));
#endif
        *record = (struct record){sender, 100 + drawn(5000), i / 500, newest[sender]};
        newest[sender] = i;
        bytes[sender] += record->size;
        if (++filled == 256) {
            if (write(file, block, sizeof block) < 0)
                abort();
            filled = 0;
        }
#ifdef EACH
        guarded(file, F_UNLCK, (off_t)(i * sizeof *record));
#endif
    }
    guarded(file, F_UNLCK, 0);
    unsigned most = 0;
    for (unsigned i = 0; i < SENDERS; i++)
        if (bytes[i] > bytes[most])
            most = i;
    printf("%u %lu %u %s\n", most, bytes[most], newest[most], letter.subject);
}
