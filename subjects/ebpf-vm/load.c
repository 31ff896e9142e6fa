/* The three kinds of program files: hexadecimal text, raw bytecode, ELF objects. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"

enum { MAX_FILE = 1 << 24 };

static int hex_digit(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static int is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Pairs of digits; white space between them, comments from # or // to the end of the line. */
int load_hex(const char *text, size_t size, struct bytes *out, struct vm_error *error)
{
    size_t line = 1;

    out->size = 0;
    out->entry = 0;
    out->data = malloc(size / 2 + 1);
    if (!out->data)
        return vm_fail(error, "out of memory");
    for (size_t at = 0; at < size; at++) {
        if (text[at] == '\n')
            line++;
        if (is_space(text[at]))
            continue;
        if (text[at] == '#' || (text[at] == '/' && at + 1 < size && text[at + 1] == '/')) {
            while (at + 1 < size && text[at + 1] != '\n')
                at++;
            continue;
        }
        if (at + 1 == size || hex_digit(text[at]) < 0 || hex_digit(text[at + 1]) < 0) {
            free(out->data);
            out->data = NULL;
            return vm_fail(error, "line %zu: expected a pair of hexadecimal digits", line);
        }
        out->data[out->size++] =
            (uint8_t)(hex_digit(text[at]) << 4 | hex_digit(text[at + 1]));
        at++;
    }
    return 0;
}

int load_stream(FILE *file, struct bytes *out, struct vm_error *error)
{
    size_t capacity = 1 << 16;
    int result = 0;

    out->size = 0;
    out->entry = 0;
    out->data = NULL;
    while (result == 0) {
        uint8_t *grown = realloc(out->data, capacity);
        size_t got;

        if (!grown) {
            result = vm_fail(error, "out of memory");
            break;
        }
        out->data = grown;
        got = fread(out->data + out->size, 1, capacity - out->size, file);
        out->size += got;
        if (ferror(file))
            result = vm_fail(error, "%s", strerror(errno));
        if (out->size < capacity)
            break;
        if (capacity >= MAX_FILE)
            result = vm_fail(error, "larger than %d bytes", MAX_FILE);
        capacity *= 2;
    }
    return result;
}

static int read_all(const char *path, struct bytes *out, struct vm_error *error)
{
    FILE *file = fopen(path, "rb");
    int result;

    out->data = NULL;
    if (!file)
        return vm_fail(error, "%s", strerror(errno));
    result = load_stream(file, out, error);
    fclose(file);
    return result;
}

static int ends_with(const char *text, const char *suffix)
{
    const size_t length = strlen(text);

    return length >= strlen(suffix) && !strcmp(text + length - strlen(suffix), suffix);
}

static int extract(const char *path, const struct elf_wanted *wanted, const struct bytes *file,
                   struct bytes *out, struct vm_error *error)
{
    if (!ends_with(path, ".hex") && elf_detect(file))
        return elf_load(file, wanted, out, error);
    if (wanted->entry)
        return vm_fail(error, "--entry %.40s: only an ELF object has names", wanted->entry);
    if (ends_with(path, ".hex"))
        return load_hex((const char *)file->data, file->size, out, error);
    out->data = malloc(file->size + 1);
    if (!out->data)
        return vm_fail(error, "out of memory");
    memcpy(out->data, file->data, file->size);
    out->size = file->size;
    out->entry = 0;
    return 0;
}

int load_file(const char *path, const struct elf_wanted *wanted, struct bytes *out,
              struct vm_error *error)
{
    struct bytes file;
    int result = read_all(path, &file, error);

    if (result == 0)
        result = extract(path, wanted, &file, out, error);
    free(file.data);
    return result;
}
