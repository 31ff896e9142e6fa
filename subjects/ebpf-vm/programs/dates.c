/* Civil dates from numbers of days and back, for 900 days over 800 years, and the day of the week:
 * Fridays on a 13th << 48 | leap days << 32 | a hash. 0 when a day does not come back. */
#include "program.h"

enum { DAYS = 900 };

u64 dates(void *memory, u64 length)
{
    u64 fridays = 0, leap = 0, hash = 0;

    for (u32 i = 0; i < DAYS; i++) {
        u32 day = 146097 + i * 324 + i % 31; /* from 400-03-01 */
        u32 era = day / 146097, of_era = day % 146097;
        u32 year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
        u32 of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        u32 shifted = (5 * of_year + 2) / 153;
        u32 date = of_year - (153 * shifted + 2) / 5 + 1;
        u32 month = shifted < 10 ? shifted + 3 : shifted - 9;
        u32 year = year_of_era + era * 400 + (month <= 2);
        u32 weekday = (day + 3) % 7, back;

        if (weekday == 5 && date == 13)
            fridays++;
        if (month == 2 && date == 29)
            leap++;
        hash = hash * 31 + (year << 9 | month << 5 | date);
        if (month <= 2)
            year--;
        era = year / 400;
        year_of_era = year % 400;
        of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + date - 1;
        back = era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
        if (back != day)
            return 0;
    }
    return fridays << 48 | leap << 32 | (hash & 0xffffffff);
}
