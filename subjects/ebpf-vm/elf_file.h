/* Reading an ELF object. Nothing in the file is trusted. */
#ifndef EBPF_VM_ELF_FILE_H
#define EBPF_VM_ELF_FILE_H

#include "load.h"

struct elf_section {
    uint32_t name;
    uint32_t type;
    uint64_t flags;
    uint64_t offset;
    uint64_t size;
    uint32_t link;
    uint32_t info;
};

struct elf_symbol {
    uint32_t name;
    uint8_t type;    /* ELF_FUNCTION and so on */
    uint8_t binding; /* 0 local, 1 global, 2 weak */
    uint16_t section;
    uint64_t value;
};

enum { ELF_FUNCTION = 2, ELF_SECTION = 3 };
enum { ELF_PROGBITS = 1, ELF_SYMBOLS = 2, ELF_RELOCATIONS_ADDEND = 4, ELF_RELOCATIONS = 9 };
enum { ELF_SYMBOL_SIZE = 24, ELF_RELOCATION_SIZE = 16 };

struct elf {
    const struct bytes *file;
    uint64_t table;
    unsigned count;
    struct elf_section names;
    struct elf_section symbols, symbol_names; /* empty where the object has none */
};

/* 0, or -1 with a message. */
int elf_open(const struct bytes *file, struct elf *elf, struct vm_error *error);

uint64_t elf_number(const uint8_t *at, unsigned size);
int elf_inside(const struct elf *elf, const struct elf_section *section);

/* `index` is below `elf->count`. */
struct elf_section elf_section(const struct elf *elf, unsigned index);

/* Its bytes are instructions, and there are some. */
int elf_is_code(const struct elf_section *section);

size_t elf_symbol_count(const struct elf *elf);

/* `index` is below elf_symbol_count(). */
struct elf_symbol elf_symbol(const struct elf *elf, size_t index);

/* Empty for one outside the table of names, or with anything but printable ASCII, as messages show
 * them; ends with a zero byte in any case. */
const char *elf_section_name(const struct elf *elf, const struct elf_section *section);
const char *elf_symbol_name(const struct elf *elf, const struct elf_symbol *symbol);

#endif
