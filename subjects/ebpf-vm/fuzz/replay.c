/* Runs the target on files, without a fuzzer: each is hexadecimal text, as in corpus/. */
#include <stdio.h>
#include <stdlib.h>

#include "load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const struct elf_wanted any = {0};
        struct bytes input = {0};
        struct vm_error error;

        if (load_file(argv[i], &any, &input, &error)) {
            fprintf(stderr, "%s: %s\n", argv[i], error.text);
            return 2;
        }
        LLVMFuzzerTestOneInput(input.data, input.size);
        free(input.data);
    }
    printf("%d inputs\n", argc - 1);
    return 0;
}
