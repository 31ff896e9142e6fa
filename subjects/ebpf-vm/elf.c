/* Finds the program in an ELF object made by a BPF compiler: where it starts, and what it calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf_file.h"
#include "opcodes.h"

/* Relocations of code: the address of something in a lddw, and the target of a call. */
enum { RELOCATE_ADDRESS = 1, RELOCATE_CALL = 10 };

/* The sections of a program one behind the other; `place` is one more than where each begins in the
 * code, 0 for those that nobody calls. */
struct image {
    const struct elf *elf;
    size_t *place;
    unsigned *order;
    unsigned count;
    struct bytes *code;
};

int elf_detect(const struct bytes *file)
{
    return file->size >= 4 && !memcmp(file->data, "\177ELF", 4);
}

static int is_in_code(const struct elf *elf, const struct elf_symbol *symbol)
{
    if (!symbol->section || symbol->section >= elf->count)
        return 0;
    const struct elf_section section = elf_section(elf, symbol->section);

    return elf_is_code(&section) && symbol->value < section.size && symbol->value % 8 == 0;
}

/* --- where it starts --- */

static int find_function(const struct elf *elf, const struct elf_wanted *wanted,
                         struct elf_symbol *found, struct vm_error *error)
{
    for (size_t i = 0; i < elf_symbol_count(elf); i++) {
        const struct elf_symbol symbol = elf_symbol(elf, i);

        if (symbol.type != ELF_FUNCTION || !is_in_code(elf, &symbol) ||
            strcmp(elf_symbol_name(elf, &symbol), wanted->entry))
            continue;
        const struct elf_section section = elf_section(elf, symbol.section);

        if (wanted->section && strcmp(elf_section_name(elf, &section), wanted->section))
            continue;
        *found = symbol;
        return 0;
    }
    return vm_fail(error, wanted->section ? "the ELF file has no function %.60s in section %.60s"
                                          : "the ELF file has no function %.60s",
                   wanted->entry, wanted->section);
}

/* How many functions of a section, or of any (0), others may call by name; the first of them, and
 * their names. */
static unsigned global_functions(const struct elf *elf, unsigned section, struct elf_symbol *first,
                                 char *names, size_t room)
{
    unsigned count = 0;
    size_t used = 0;

    names[0] = '\0';
    for (size_t i = 0; i < elf_symbol_count(elf); i++) {
        const struct elf_symbol symbol = elf_symbol(elf, i);

        if (symbol.type != ELF_FUNCTION || !symbol.binding ||
            (section && symbol.section != section) || !is_in_code(elf, &symbol))
            continue;
        if (!count++)
            *first = symbol;
        if (used < room)
            used += (size_t)snprintf(names + used, room - used, "%s%.40s", used ? ", " : "",
                                     elf_symbol_name(elf, &symbol));
    }
    return count;
}

/* The named section. Without a name .text, or else the first one with code; among these first
 * one with a function that others may call: where the others are, are the functions that it
 * calls. */
static unsigned pick_section(const struct elf *elf, const char *name)
{
    unsigned best = elf->count, rank = 0;

    for (unsigned index = 0; index < elf->count; index++) {
        const struct elf_section section = elf_section(elf, index);
        struct elf_symbol first;
        char names[2];
        const char *own = elf_section_name(elf, &section);

        if (!elf_is_code(&section) || (name && strcmp(own, name)))
            continue;
        const unsigned this_rank =
            1 + !strcmp(own, ".text") +
            2 * (global_functions(elf, index, &first, names, sizeof(names)) > 0);

        if (this_rank > rank) {
            rank = this_rank;
            best = index;
        }
    }
    return best;
}

/* The only function that others may call, in the named section or at all; the start of the
 * section where there is none. */
static int find_entry(const struct elf *elf, const struct elf_wanted *wanted,
                      struct elf_symbol *found, struct vm_error *error)
{
    char names[120];

    if (wanted->entry)
        return find_function(elf, wanted, found, error);
    memset(found, 0, sizeof(*found));
    found->section = (uint16_t)pick_section(elf, wanted->section);
    if (found->section == elf->count)
        return vm_fail(error, wanted->section ? "the ELF file has no code section %.60s"
                                              : "the ELF file has no code",
                       wanted->section);
    const unsigned section = wanted->section ? found->section : 0;

    if (global_functions(elf, section, found, names, sizeof(names)) > 1)
        return vm_fail(error, "the ELF %s%.40s has several functions: %s; say which one by --entry",
                       section ? "section " : "file", section ? wanted->section : "", names);
    return 0;
}

/* --- what it calls --- */

/* Puts a section behind the others, unless it is there. */
static int add_section(struct image *image, unsigned index, struct vm_error *error)
{
    const struct elf_section section = elf_section(image->elf, index);

    if (image->place[index])
        return 0;
    if (!elf_inside(image->elf, &section))
        return vm_fail(error, "the ELF code section is outside the file");
    if (image->code->size % 8)
        return vm_fail(error, "an ELF code section is no whole number of 8-byte instructions");
    /* Sections may overlap in a file that lies. */
    if (section.size > (size_t)VM_MAX_SLOTS * 8 ||
        image->code->size + section.size > (size_t)VM_MAX_SLOTS * 16)
        return vm_fail(error, "the ELF code is larger than %d instructions", VM_MAX_SLOTS);
    uint8_t *grown = realloc(image->code->data, image->code->size + (size_t)section.size);

    if (!grown)
        return vm_fail(error, "out of memory");
    image->code->data = grown;
    memcpy(grown + image->code->size, image->elf->file->data + section.offset,
           (size_t)section.size);
    image->place[index] = image->code->size + 1;
    image->code->size += (size_t)section.size;
    image->order[image->count++] = index;
    return 0;
}

static int relocate_call(struct image *image, size_t at, const struct elf_symbol *symbol,
                         struct vm_error *error)
{
    const char *name = elf_symbol_name(image->elf, symbol);
    uint8_t *insn = image->code->data + at;
    const int32_t addend = (int32_t)elf_number(insn + 4, 4);
    struct elf_symbol target = *symbol;
    int64_t distance;

    if (!symbol->section)
        return vm_fail(error, "instruction %zu calls %.60s, which is not in the ELF file", at / 8,
                       name);
    target.value += ((uint64_t)(int64_t)addend + 1) * 8;
    if (insn[0] != (BPF_JMP | BPF_CALL) || insn[1] >> 4 != BPF_CALL_LOCAL ||
        !is_in_code(image->elf, &target))
        return vm_fail(error, "instruction %zu calls %.60s, which is no function", at / 8, name);
    if (add_section(image, target.section, error))
        return -1;
    insn = image->code->data + at; /* the code may have moved */
    distance = (int64_t)((image->place[target.section] - 1 + target.value) / 8) -
               (int64_t)(at / 8) - 1;
    for (unsigned i = 0; i < 4; i++)
        insn[4 + i] = (uint8_t)((uint64_t)distance >> 8 * i);
    return 0;
}

static int relocate(struct image *image, const struct elf_section *target, size_t place,
                    const uint8_t *entry, struct vm_error *error)
{
    const uint64_t offset = elf_number(entry, 8), info = elf_number(entry + 8, 8);
    struct elf_symbol symbol;

    if (info >> 32 >= elf_symbol_count(image->elf) || target->size < 8 ||
        offset > target->size - 8 || offset % 8)
        return vm_fail(error, "an ELF relocation is outside its section");
    symbol = elf_symbol(image->elf, (size_t)(info >> 32));
    switch ((uint32_t)info) {
    case RELOCATE_CALL:
        return relocate_call(image, place + (size_t)offset, &symbol, error);
    case RELOCATE_ADDRESS: {
        struct elf_section section = {0};

        if (symbol.section && symbol.section < image->elf->count)
            section = elf_section(image->elf, symbol.section);
        return vm_fail(error,
                       "instruction %zu refers to %.50s in section %.30s: maps and variables are "
                       "not supported",
                       (place + (size_t)offset) / 8,
                       symbol.type == ELF_SECTION ? "data" : elf_symbol_name(image->elf, &symbol),
                       elf_section_name(image->elf, &section));
    }
    default:
        return vm_fail(error, "instruction %zu has a relocation of kind %u, which is not supported",
                       (place + (size_t)offset) / 8, (unsigned)info);
    }
}

/* The relocations of one section that is in the image. */
static int relocate_section(struct image *image, unsigned index, struct vm_error *error)
{
    const struct elf_section target = elf_section(image->elf, index);
    const size_t place = image->place[index] - 1;

    for (unsigned i = 0; i < image->elf->count; i++) {
        const struct elf_section section = elf_section(image->elf, i);

        if ((section.type != ELF_RELOCATIONS && section.type != ELF_RELOCATIONS_ADDEND) ||
            section.info != index || !section.size)
            continue;
        if (section.type == ELF_RELOCATIONS_ADDEND)
            return vm_fail(error, "the ELF relocations have addends, which no BPF compiler makes");
        if (!elf_inside(image->elf, &section))
            return vm_fail(error, "the ELF relocations are outside the file");
        const uint8_t *const entries = image->elf->file->data + section.offset;

        for (uint64_t at = 0; at + ELF_RELOCATION_SIZE <= section.size; at += ELF_RELOCATION_SIZE)
            if (relocate(image, &target, place, entries + at, error))
                return -1;
    }
    return 0;
}

int elf_load(const struct bytes *file, const struct elf_wanted *wanted, struct bytes *out,
             struct vm_error *error)
{
    struct elf elf;
    struct elf_symbol entry;
    struct image image = {.elf = &elf, .code = out};
    int result;

    out->data = NULL;
    out->size = 0;
    if (elf_open(file, &elf, error) || find_entry(&elf, wanted, &entry, error))
        return -1;
    image.place = calloc(elf.count, sizeof(*image.place));
    image.order = calloc(elf.count, sizeof(*image.order));
    result = image.place && image.order ? add_section(&image, entry.section, error)
                                        : vm_fail(error, "out of memory");
    for (unsigned i = 0; result == 0 && i < image.count; i++)
        result = relocate_section(&image, image.order[i], error);
    out->entry = (size_t)entry.value / 8;
    free(image.place);
    free(image.order);
    if (result) {
        free(out->data);
        out->data = NULL;
    }
    return result;
}
