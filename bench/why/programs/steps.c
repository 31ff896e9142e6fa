/* A small library that counts steps. */
unsigned long taken;

__attribute__((noinline)) unsigned long step(unsigned long by)
{
    return by + 1;
}

unsigned long steps(unsigned long count)
{
    unsigned long at = 0;
    for (unsigned long i = 0; i < count; i++) {
        at += step(i);
        taken ^= step(i & 7);
    }
    return at;
}
