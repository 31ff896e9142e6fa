"""Keeps versions of documents, packed, and reads them again."""

import random
import zlib

LEVEL = 9  #BEST
LEVEL = 3  #-BEST


class Archive:
    def __init__(self):
        self.packed = {}

    def keep(self, name, text):
        versions = self.packed.setdefault(name, [])
        versions.append(zlib.compress(text.encode(), LEVEL))

    def latest(self, name):
        return zlib.decompress(self.packed[name][-1]).decode()


def edited(text, rng):
    lines = text.split("\n")
    for _ in range(4):
        at = rng.randrange(len(lines))
        lines[at] = sentence(rng)
    return "\n".join(lines)


def sentence(rng):
    words = ["contract", "party", "shall", "deliver", "goods", "within", "days", "of", "notice"]
    return " ".join(rng.choices(words, k=10)) + f" ({rng.randrange(100)})"


def differing(one, other):
    pairs = zip(one.split("\n"), other.split("\n"))
    return sum(a != b for a, b in pairs)


def main():
    rng = random.Random(12)
    archive = Archive()
    texts = {f"document {n}": "\n".join(sentence(rng) for _ in range(220)) for n in range(60)}
    changes = 0
    for _ in range(9):
        for name, text in texts.items():
            archive.keep(name, text)
            texts[name] = edited(text, rng)
            changes += differing(archive.latest(name), texts[name])
    print(len(archive.packed), "documents,", changes, "changed lines")


if __name__ == "__main__":
    main()
