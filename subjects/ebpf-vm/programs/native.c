/* Runs one of the programs as native code and prints what it returns, to check what the machine's
 * bytecode returns:
 *
 *     cc -include held-out/sha256.c -DPROGRAM=sha256 -o sha256 native.c && ./sha256 [LENGTH]
 *
 * LENGTH is that of the memory. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const size_t length = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    void *memory = calloc(length + 1, 1);

    if (!memory)
        return 1;
    printf("0x%llx\n", PROGRAM(memory, length));
    free(memory);
    return 0;
}
