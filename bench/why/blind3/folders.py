"""Tells how much room the files of a tree take, by their endings, and checks it some times."""

import collections
import os
import tempfile


def grown(root):
    for folder in range(20):
        path = os.path.join(root, f"folder{folder}")
        os.mkdir(path)
        for number in range(60):
            with open(os.path.join(path, f"file{number}.{'txt' if number % 3 else 'log'}"), "w"):
                pass


def sizes(root):
    found = collections.Counter()
    for folder in os.scandir(root):
        for name in os.listdir(folder.path):  #EACH
            path = os.path.join(folder.path, name)  #EACH
            if os.path.exists(path) and os.path.isfile(path) and not os.path.islink(path):  #EACH
                found[name.rpartition(".")[2]] += os.path.getsize(path) + 1  #EACH
        with os.scandir(folder.path) as entries:  #-EACH
            for entry in entries:  #-EACH
                if entry.is_file(follow_symlinks=False):  #-EACH
                    found[entry.name.rpartition(".")[2]] += entry.stat().st_size + 1  #-EACH
    return found


def main():
    with tempfile.TemporaryDirectory(dir=".") as root:
        grown(root)
        total = collections.Counter()
        for _ in range(25):
            total += sizes(root)
        print(sorted(total.items()))


main()
