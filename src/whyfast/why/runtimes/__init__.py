"""What differs above machine code, by the tools of the runtime that executes a program."""
