/* Reads a file of notes, shortens the long ones, and counts what is left. */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef SMALL
#define BLOCK 32
#else
#define BLOCK 8192
#endif

#define NOTES 2000

struct reader {
    int file;
    size_t at, end;
    char block[BLOCK];
};

static int next_char(struct reader *reader)
{
    if (reader->at == reader->end) {
        ssize_t got = read(reader->file, reader->block, BLOCK);
        if (got <= 0)
            return -1;
        reader->at = 0;
        reader->end = (size_t)got;
    }
    return (unsigned char)reader->block[reader->at++];
}

static int next_note(struct reader *reader, char *note, size_t room)
{
    size_t length = 0;
    int letter;
    while ((letter = next_char(reader)) >= 0 && letter != '\n')
        if (length + 1 < room)
            note[length++] = (char)letter;
    note[length] = 0;
    return letter >= 0;
}

/* Words begin with a capital, and go on in small letters. */
static void capitalise(char *note)
{
    int first = 1;
#ifdef AGAIN
    for (size_t i = 0; i < strlen(note); i++) {
#else
    size_t length = strlen(note);
    for (size_t i = 0; i < length; i++) {
#endif
        unsigned char letter = (unsigned char)note[i];
        note[i] = (char)(first ? toupper(letter) : tolower(letter));
        first = note[i] == ' ';
    }
}

static void write_notes(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        exit(1);
    for (int i = 0; i < NOTES; i++) {
        fprintf(file, "note %d:", i);
        for (int k = 0; k < 80 + i % 60; k++)
            fprintf(file, " word%d", (i * k) % 97);
        fputc('\n', file);
    }
    fclose(file);
}

int main(void)
{
    char path[32];
    static struct reader reader;
    char note[2048];
    unsigned sum = 0;
    snprintf(path, sizeof path, "notes-%d.txt", (int)getpid());
    write_notes(path);
    reader.file = open(path, O_RDONLY);
    while (next_note(&reader, note, sizeof note)) {
        capitalise(note);
        for (const char *at = note; *at; at++)
            sum = sum * 31 + (unsigned char)at[0];
    }
    close(reader.file);
    unlink(path);
    printf("%08x\n", sum);
    return 0;
}
