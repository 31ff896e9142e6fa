/* Finds the code in an ELF object made by a BPF compiler. Nothing in the file is trusted. */
#include <string.h>

#include "load.h"

enum {
    ET_REL_ = 1,
    EM_BPF_ = 247,
    SHT_PROGBITS_ = 1,
    SHT_RELA_ = 4,
    SHT_REL_ = 9,
    SHF_EXECINSTR_ = 4,
    HEADER_SIZE = 64,
    SECTION_SIZE = 64,
};

struct section {
    uint32_t name;
    uint32_t type;
    uint64_t flags;
    uint64_t offset;
    uint64_t size;
    uint32_t info;
};

struct elf {
    const struct bytes *file;
    uint64_t table;
    unsigned count;
    struct section names;
};

static uint64_t read_le(const uint8_t *at, unsigned size)
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

/* `index` is below `elf->count`, and the whole table is known to be inside the file. */
static struct section read_section(const struct elf *elf, unsigned index)
{
    const uint8_t *at = elf->file->data + elf->table + (uint64_t)index * SECTION_SIZE;

    return (struct section){
        .name = (uint32_t)read_le(at, 4),
        .type = (uint32_t)read_le(at + 4, 4),
        .flags = read_le(at + 8, 8),
        .offset = read_le(at + 24, 8),
        .size = read_le(at + 32, 8),
        .info = (uint32_t)read_le(at + 44, 4),
    };
}

static int has_name(const struct elf *elf, const struct section *section, const char *name)
{
    const size_t size = strlen(name) + 1;

    if (section->name > elf->names.size || size > elf->names.size - section->name)
        return 0;
    return !memcmp(elf->file->data + elf->names.offset + section->name, name, size);
}

int elf_detect(const struct bytes *file)
{
    return file->size >= 4 && !memcmp(file->data, "\177ELF", 4);
}

static int open_elf(const struct bytes *file, struct elf *elf, struct vm_error *error)
{
    unsigned names;

    if (file->size < HEADER_SIZE)
        return vm_fail(error, "the ELF header is cut short");
    if (file->data[4] != 2 || file->data[5] != 1)
        return vm_fail(error, "the ELF file is not 64-bit little-endian");
    if (read_le(file->data + 16, 2) != ET_REL_ || read_le(file->data + 18, 2) != EM_BPF_)
        return vm_fail(error, "the ELF file is not a BPF object");
    elf->table = read_le(file->data + 40, 8);
    elf->count = (unsigned)read_le(file->data + 60, 2);
    names = (unsigned)read_le(file->data + 62, 2);
    if (read_le(file->data + 58, 2) != SECTION_SIZE ||
        !inside(file, elf->table, (uint64_t)elf->count * SECTION_SIZE))
        return vm_fail(error, "the ELF section table is outside the file");
    if (names >= elf->count)
        return vm_fail(error, "the ELF file has no section names");
    elf->names = read_section(elf, names);
    if (!inside(file, elf->names.offset, elf->names.size))
        return vm_fail(error, "the ELF section names are outside the file");
    return 0;
}

static int is_code(const struct section *section)
{
    return section->type == SHT_PROGBITS_ && (section->flags & SHF_EXECINSTR_) && section->size;
}

/* The named section; without a name .text, or else the first one that holds code. */
static unsigned pick_section(const struct elf *elf, const char *name)
{
    unsigned first = elf->count;

    for (unsigned index = 0; index < elf->count; index++) {
        const struct section section = read_section(elf, index);

        if (!is_code(&section))
            continue;
        if (has_name(elf, &section, name ? name : ".text"))
            return index;
        if (!name && first == elf->count)
            first = index;
    }
    return first;
}

int elf_find_code(const struct bytes *file, const char *name, struct bytes *code,
                  struct vm_error *error)
{
    struct section section;
    struct elf elf = {.file = file};
    unsigned picked;

    if (open_elf(file, &elf, error))
        return -1;
    picked = pick_section(&elf, name);
    if (picked == elf.count)
        return vm_fail(error, name ? "the ELF file has no code section %s"
                                   : "the ELF file has no code", name);
    section = read_section(&elf, picked);
    if (!inside(file, section.offset, section.size))
        return vm_fail(error, "the ELF code section is outside the file");
    for (unsigned index = 0; index < elf.count; index++) {
        const struct section other = read_section(&elf, index);

        if ((other.type == SHT_REL_ || other.type == SHT_RELA_) && other.info == picked &&
            other.size)
            return vm_fail(error, "the ELF code section has relocations (maps, variables, local "
                                  "calls), which are not supported yet");
    }
    code->data = file->data + section.offset;
    code->size = (size_t)section.size;
    return 0;
}
