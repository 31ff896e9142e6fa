/* Reading bytecode from files. */
#ifndef EBPF_VM_LOAD_H
#define EBPF_VM_LOAD_H

#include <stdio.h>

#include "vm.h"

struct bytes {
    uint8_t *data;
    size_t size;
    size_t entry; /* of code, the instruction that it starts with */
};

/* What of an ELF object is to be run; a null name leaves the choice to elf.c. */
struct elf_wanted {
    const char *section;
    const char *entry;
};

/* load.c. Each returns 0, or -1 with a message; `out->data` is to be freed by the caller. */
int load_hex(const char *text, size_t size, struct bytes *out, struct vm_error *error);
int load_stream(FILE *file, struct bytes *out, struct vm_error *error);
int load_file(const char *path, const struct elf_wanted *wanted, struct bytes *out,
              struct vm_error *error);

/* lines.c: hexadecimal text with a program a line, empty lines left out; at most `most`. Sets
 * *count, also when it fails: so many are to be freed. */
int load_lines(const char *path, struct bytes *out, size_t most, size_t *count,
               struct vm_error *error);

/* elf.c: the code of a section, and behind it that of the functions which it calls elsewhere.
 * 0, or -1 with a message; `out->data` is to be freed by the caller. */
int elf_detect(const struct bytes *file);
int elf_load(const struct bytes *file, const struct elf_wanted *wanted, struct bytes *out,
             struct vm_error *error);

#endif
