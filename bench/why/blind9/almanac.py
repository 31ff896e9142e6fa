# An almanac: a large module of tables is imported, and a few days are looked up.
import tables

print(sum(tables.day_7(i) + tables.TABLE_11[i % 1000] for i in range(60000)))
