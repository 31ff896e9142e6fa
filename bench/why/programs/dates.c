/* Which day of the week the days of a diary are. */
#include <stdio.h>
#include <string.h>

static int known[4000];

__attribute__((noinline)) int days_before(int year)
{
    int days = 0;
    for (int y = 1900; y < year; y++)
        days += y % 4 || (y % 100 == 0 && y % 400) ? 365 : 366;
    return days;
}

__attribute__((noinline)) int weekday(int year, int day)
{
#ifdef REMEMBER
    if (!known[year])
        known[year] = days_before(year) + 1;
    return (known[year] - 1 + day) % 7;
#else
    return (days_before(year) + day) % 7;
#endif
}

int main(void)
{
    long counts[7] = {0};
    for (int i = 0; i < 3000000; i++)
        counts[weekday(1910 + i % 20, i % 365)]++;
    printf("%ld %ld %d\n", counts[0], counts[6], known[0]);
    return 0;
}
