#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const form_names[2] = {"static", "dynamic"};

static const char usage[] =
    "usage: bpf-chain run|turn|histogram|overhead|image|hex|probe [--calls LIST] [--index LIST]\n"
    "                 [--repeat N] [--times N] [--runs N] [--allow-interpreter]\n";

static int complain(const char *what, const char *value, const char *wanted)
{
    fprintf(stderr, "bpf-chain: %s: '%s' is not %s\n", what, value, wanted);
    return -1;
}

/* A whole number from `least` to `most` that ends at `end`. -1 when it is none. */
static long whole(const char *text, const char *end, long least, long most)
{
    long value = 0;

    if (text == end)
        return -1;
    for (; text < end; text++) {
        if (*text < '0' || *text > '9')
            return -1;
        value = value * 10 + (*text - '0');
        if (value > most)
            return -1;
    }
    return value < least ? -1 : value;
}

static int read_calls(struct options *options, const char *list)
{
    options->calls_count = 0;
    for (const char *at = list;; at++) {
        const char *end = at + strcspn(at, ",");
        const long calls = whole(at, end, 0, MOST_CALLS);

        if (calls < 0 || options->calls_count > MOST_CALLS)
            return complain("--calls", list, "a list of different numbers from 0 to 34");
        options->calls[options->calls_count++] = (int)calls;
        if (!*end)
            return 0;
        at = end;
    }
}

static int read_forms(struct options *options, const char *list)
{
    options->forms_count = 0;
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        int form = 0;

        while (form < 2 && (strlen(form_names[form]) != length || strncmp(at, form_names[form], length)))
            form++;
        if (form == 2 || options->forms_count == 2)
            return complain("--index", list, "static, dynamic, or both with a comma");
        options->forms[options->forms_count++] = (enum index_form)form;
        if (!at[length])
            return 0;
        at += length;
    }
}

static int read_count(uint32_t *out, const char *name, const char *text)
{
    const long value = whole(text, text + strlen(text), 1, 1000000000);

    if (value < 0)
        return complain(name, text, "a number from 1 to 1000000000");
    *out = (uint32_t)value;
    return 0;
}

static int read_one(struct options *options, const char *name, const char *value)
{
    if (!strcmp(name, "--calls"))
        return read_calls(options, value);
    if (!strcmp(name, "--index"))
        return read_forms(options, value);
    if (!strcmp(name, "--repeat"))
        return read_count(&options->repeat, name, value);
    if (!strcmp(name, "--times"))
        return read_count(&options->times, name, value);
    return read_count(&options->runs, name, value);
}

static int known(const char *word, const char *const *words)
{
    while (*words && strcmp(word, *words))
        words++;
    return *words != NULL;
}

static void set_defaults(struct options *options)
{
    static const int lengths[] = {0, 1, 2, 4, 8, 16, 33};

    memset(options, 0, sizeof(*options));
    options->repeat = 1000;
    options->times = 5;
    options->runs = 100000;
    options->forms[0] = INDEX_STATIC;
    options->forms[1] = INDEX_DYNAMIC;
    options->forms_count = 2;
    options->calls_count = sizeof(lengths) / sizeof(*lengths);
    memcpy(options->calls, lengths, sizeof(lengths));
}

int options_read(struct options *options, int argc, char **argv)
{
    static const char *const commands[] = {"run", "turn", "histogram", "overhead", "image", "hex",
                                           "probe", NULL};
    static const char *const names[] = {"--calls", "--index", "--repeat", "--times", "--runs", NULL};

    set_defaults(options);
    if (argc < 2) {
        fputs(usage, stderr);
        return -1;
    }
    options->command = argv[1];
    if (!known(argv[1], commands)) {
        complain("command", argv[1], "run, turn, histogram, overhead, image, hex or probe");
        return -1;
    }
    if (strcmp(argv[1], "run")) { /* the others take one chain */
        options->calls[0] = strcmp(argv[1], "image") ? TAIL_CALL_LIMIT : 2;
        options->calls_count = options->forms_count = 1;
    }
    for (int i = 2; i < argc; i++) {
        if (!strcmp(argv[i], "--allow-interpreter")) {
            options->allow_interpreter = 1;
        } else if (!known(argv[i], names)) {
            return complain("option", argv[i],
                            "one of --calls --index --repeat --times --runs --allow-interpreter");
        } else if (i + 1 == argc) {
            fprintf(stderr, "bpf-chain: %s: wants a value\n", argv[i]);
            return -1;
        } else {
            if (read_one(options, argv[i], argv[i + 1]))
                return -1;
            i++;
        }
    }
    if (strcmp(argv[1], "run") && (options->calls_count > 1 || options->forms_count > 1)) {
        fprintf(stderr, "bpf-chain: %s takes one chain: one number and one form\n", argv[1]);
        return -1;
    }
    if (!strcmp(argv[1], "histogram") && options->calls[0] > TAIL_CALL_LIMIT) {
        fprintf(stderr, "bpf-chain: histogram: only 33 calls succeed, so that the last program of a "
                        "longer chain never runs\n");
        return -1;
    }
    return 0;
}
