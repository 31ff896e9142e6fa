"""Writes a C program that uses as many parts as it is told."""

import sys

count = int(sys.argv[1])
print("#include <stdio.h>")
for i in range(count):
    print(f"int part_{i}(int x);")
print("int main(void)\n{\n    int sum = 0;")
print("    for (int i = 0; i < 5000000; i++)\n        sum = sum * 5 + i;")
for i in range(count):
    print(f"    sum = part_{i}(sum);")
print('    printf("%d\\n", sum);\n    return 0;\n}')
