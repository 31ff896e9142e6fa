"""Writes a C file with a long table of places in a row of cells."""

import sys

count = int(sys.argv[1])
print(f"static int cells[{count}];")
print(f"int *places[{count}] = {{")
print("\n".join(f"&cells[{i}]," for i in range(count)))
print("};")
