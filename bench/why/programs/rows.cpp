// Writes the squares of numbers, a line each.
#include <fstream>

#ifdef FLUSHED
#define END std::endl
#else
#define END '\n'
#endif

int main()
{
    std::ofstream out("/dev/null");
    for (long i = 0; i < 300000; i++)
        out << i * i << END;
}
