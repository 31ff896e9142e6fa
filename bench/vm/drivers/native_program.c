/* One of the programs under a name of its own. Compiled with
 *
 *     -include PROGRAM.c -DPROGRAM=NAME */
unsigned long long native_program(void *memory, unsigned long long size)
{
    return PROGRAM(memory, size);
}
