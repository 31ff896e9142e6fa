/* Writes rows of numbers. */
#include <stdio.h>

int main(void)
{
    FILE *out = fopen("/dev/null", "w");
#ifdef PLAIN
    setvbuf(out, NULL, _IONBF, 0);
#endif
    for (int i = 0; i < 300000; i++)
        fprintf(out, "%d\n", i * 7);
    fclose(out);
    return 0;
}
