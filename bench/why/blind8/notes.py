# Notes in a file of text: each gets the place where it begins, so that it can be read alone later.
import os
import sys


def index(path):
    places, size = {}, 0
    with open(path, encoding="utf-8") as notes:
        at = 0
        while line := notes.readline():
            key = line.split(" ", 1)[0]
            places[key] = at
            at += len(line.encode()) #-TELL
            at = notes.tell() #TELL
            size += len(line)
    return places, size


path = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "notes.txt")
places, size = index(path)
print(len(places), size, places["n777"], places["n1500"])
