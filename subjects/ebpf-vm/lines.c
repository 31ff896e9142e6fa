/* Several programs in one file: hexadecimal text, one a line. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"

/* One line, which load_hex takes as a file of its own. */
static int load_line(const char *text, size_t size, size_t number, struct bytes *out,
                     struct vm_error *error)
{
    struct vm_error cause;

    if (load_hex(text, size, out, &cause))
        return vm_fail(error, "program in line %zu: expected pairs of hexadecimal digits", number);
    return 0;
}

static int split(const char *text, size_t size, struct bytes *out, size_t most, size_t *count,
                 struct vm_error *error)
{
    size_t number = 0;

    for (size_t start = 0; start < size;) {
        const char *end = memchr(text + start, '\n', size - start);
        const size_t length = end ? (size_t)(end - text) - start : size - start;
        struct bytes code;

        number++;
        if (load_line(text + start, length, number, &code, error))
            return -1;
        start += length + 1;
        if (code.size == 0) {
            free(code.data);
            continue;
        }
        if (*count == most) {
            free(code.data);
            return vm_fail(error, "more than %zu programs", most);
        }
        out[(*count)++] = code;
    }
    return *count ? 0 : vm_fail(error, "no program");
}

int load_lines(const char *path, struct bytes *out, size_t most, size_t *count,
               struct vm_error *error)
{
    FILE *file = fopen(path, "rb");
    struct bytes text = {0};
    int result;

    *count = 0;
    if (!file)
        return vm_fail(error, "%s", strerror(errno));
    result = load_stream(file, &text, error);
    fclose(file);
    if (result == 0)
        result = split((const char *)text.data, text.size, out, most, count, error);
    free(text.data);
    return result;
}
