/* Reading an ELF object: its sections and symbols. */
#include "elf_file.h"

#include <string.h>

enum {
    RELOCATABLE = 1,
    MACHINE_BPF = 247,
    EXECUTABLE = 4,
    HEADER_SIZE = 64,
    SECTION_SIZE = 64,
};

uint64_t elf_number(const uint8_t *at, unsigned size)
{
    uint64_t value = 0;

    while (size--)
        value = value << 8 | at[size];
    return value;
}

static int inside(const struct bytes *file, uint64_t offset, uint64_t size)
{
    return offset <= file->size && size <= file->size - offset;
}

int elf_inside(const struct elf *elf, const struct elf_section *section)
{
    return inside(elf->file, section->offset, section->size);
}

struct elf_section elf_section(const struct elf *elf, unsigned index)
{
    const uint8_t *at = elf->file->data + elf->table + (uint64_t)index * SECTION_SIZE;

    return (struct elf_section){
        .name = (uint32_t)elf_number(at, 4),
        .type = (uint32_t)elf_number(at + 4, 4),
        .flags = elf_number(at + 8, 8),
        .offset = elf_number(at + 24, 8),
        .size = elf_number(at + 32, 8),
        .link = (uint32_t)elf_number(at + 40, 4),
        .info = (uint32_t)elf_number(at + 44, 4),
    };
}

int elf_is_code(const struct elf_section *section)
{
    return section->type == ELF_PROGBITS && (section->flags & EXECUTABLE) && section->size;
}

size_t elf_symbol_count(const struct elf *elf)
{
    return (size_t)(elf->symbols.size / ELF_SYMBOL_SIZE);
}

struct elf_symbol elf_symbol(const struct elf *elf, size_t index)
{
    const uint8_t *at = elf->file->data + elf->symbols.offset + index * ELF_SYMBOL_SIZE;

    return (struct elf_symbol){
        .name = (uint32_t)elf_number(at, 4),
        .type = at[4] & 15,
        .binding = at[4] >> 4,
        .section = (uint16_t)elf_number(at + 6, 2),
        .value = elf_number(at + 8, 8),
    };
}

static const char *text_at(const struct elf *elf, const struct elf_section *names, uint32_t at)
{
    const char *text = (const char *)elf->file->data + names->offset;

    if (at >= names->size || !memchr(text + at, 0, (size_t)names->size - at))
        return "";
    for (const char *c = text + at; *c; c++)
        if (*c <= ' ' || *c > '~')
            return "";
    return text + at;
}

const char *elf_section_name(const struct elf *elf, const struct elf_section *section)
{
    return text_at(elf, &elf->names, section->name);
}

const char *elf_symbol_name(const struct elf *elf, const struct elf_symbol *symbol)
{
    return text_at(elf, &elf->symbol_names, symbol->name);
}

/* The first table of symbols, of which a compiler makes one. */
static int find_symbols(struct elf *elf, struct vm_error *error)
{
    for (unsigned index = 0; index < elf->count; index++) {
        const struct elf_section section = elf_section(elf, index);

        if (section.type != ELF_SYMBOLS)
            continue;
        if (section.link >= elf->count)
            return vm_fail(error, "the ELF symbols have no names");
        elf->symbols = section;
        elf->symbol_names = elf_section(elf, section.link);
        if (!elf_inside(elf, &elf->symbols) || !elf_inside(elf, &elf->symbol_names))
            return vm_fail(error, "the ELF symbols are outside the file");
        return 0;
    }
    return 0;
}

int elf_open(const struct bytes *file, struct elf *elf, struct vm_error *error)
{
    unsigned names;

    memset(elf, 0, sizeof(*elf));
    elf->file = file;
    if (file->size < HEADER_SIZE)
        return vm_fail(error, "the ELF header is cut short");
    if (file->data[4] != 2 || file->data[5] != 1)
        return vm_fail(error, "the ELF file is not 64-bit little-endian");
    if (elf_number(file->data + 16, 2) != RELOCATABLE ||
        elf_number(file->data + 18, 2) != MACHINE_BPF)
        return vm_fail(error, "the ELF file is not a BPF object");
    elf->table = elf_number(file->data + 40, 8);
    elf->count = (unsigned)elf_number(file->data + 60, 2);
    names = (unsigned)elf_number(file->data + 62, 2);
    if (elf_number(file->data + 58, 2) != SECTION_SIZE ||
        !inside(file, elf->table, (uint64_t)elf->count * SECTION_SIZE))
        return vm_fail(error, "the ELF section table is outside the file");
    if (names >= elf->count)
        return vm_fail(error, "the ELF file has no section names");
    elf->names = elf_section(elf, names);
    if (!elf_inside(elf, &elf->names))
        return vm_fail(error, "the ELF section names are outside the file");
    return find_symbols(elf, error);
}
