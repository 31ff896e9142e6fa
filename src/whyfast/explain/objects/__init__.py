"""Object file formats: ELF, PE and COFF, Mach-O, and what is read from them."""
