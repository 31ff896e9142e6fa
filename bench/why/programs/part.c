/* One of many small libraries. */
#define PASTE(a, b) a##b
#define NAME(n) PASTE(part_, n)

int NAME(NUMBER)(int x)
{
    return x + NUMBER;
}
