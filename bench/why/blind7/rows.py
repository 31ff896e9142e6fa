# Writes a table of numbers and names for the programs that sort, cut and search.
import sys

kind, count = sys.argv[1], int(sys.argv[2])
WORDS = "amber birch copper dusty eager fresh gentle hollow indigo jolly kettle lemon maple nimble orange".split()
seed = 9
for number in range(count):
    seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
    words = [WORDS[(seed >> shift) % 15] for shift in (8, 13, 17, 22)]
    if kind == "numbers":
        print(seed >> 9)
    elif kind == "fields":
        print(seed >> 22, *words, seed >> 12 & 4095, *words, number)
    else:
        print(f"{number} {words[0]}-{words[1]} said: {words[2]} {words[3]}, {seed >> 20}")
if kind == "lines":
    print("0 lemon-maple said: fresh lemon, 1 at the end")
