/* Sums of a row of numbers, weighted in eight ways. */
#include <stdio.h>

__attribute__((noinline)) double run(const double *in, int count)
{
    double a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
    for (int i = 0; i < count; i++) {
        double x = in[i];
        a += x;
        b -= x;
        c += x * 0.5;
        d -= x * 0.5;
        e += x * x;
        f -= x * x;
        g += x * 0.25;
        h -= x * 0.25;
    }
    return a * b + c * d + e * f + g * h;
}

int main(void)
{
    static double in[4096];
    double sum = 0;
    for (int i = 0; i < 4096; i++)
        in[i] = i * 0.001;
    for (int round = 0; round < 6000; round++) {
        in[round % 4096] += 1;
        sum += run(in, 4096);
    }
    printf("%g\n", sum);
    return 0;
}
