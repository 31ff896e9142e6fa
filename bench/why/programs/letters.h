#ifdef SEPARATE
int weight(unsigned char letter);
#else
static inline int weight(unsigned char letter)
{
    return letter - 'a' < 26u ? letter - 'a' + 1 : 0;
}
#endif
