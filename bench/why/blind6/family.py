# A tree of ancestors: who is in it, in order, which names are common, and pages made by a slow helper.
import subprocess
import sys


class Person:
    def __init__(self, name, born):
        self.name, self.born = name, born
        self.younger = self.older = None


def add(root, person):
    at = root
    while True:
        if person.born < at.born:
            if at.older is None:
                at.older = person
                return
            at = at.older
        else:
            if at.younger is None:
                at.younger = person
                return
            at = at.younger


def in_order(person):
    if person is not None: #NESTED
        yield from in_order(person.older) #NESTED
        yield person #NESTED
        yield from in_order(person.younger) #NESTED
    waiting = [] #-NESTED
    while waiting or person is not None: #-NESTED
        while person is not None: #-NESTED
            waiting.append(person) #-NESTED
            person = person.older #-NESTED
        person = waiting.pop() #-NESTED
        yield person #-NESTED
        person = person.younger #-NESTED


def grown(count):
    names = ["Ada", "Ben", "Cleo", "Dora", "Emil", "Fritz", "Greta"]
    seed = 5
    root = Person("Zoe", 1 << 15)
    for _ in range(count):
        seed = (seed * 1664525 + 1013904223) % (1 << 32)
        add(root, Person(names[(seed >> 8) % 7], seed >> 16))
    return root


def gaps(root):
    last = None
    longest = 0
    for person in in_order(root):
        if last is not None:
            longest = max(longest, person.born - last)
        last = person.born
    return longest


def named(root, name):
    count = 0
    for person in in_order(root):
        if person.name == name:
            count += 1
    return count


def printed(pages, names):
    lines = []
    for page in range(pages):
        helper = subprocess.Popen(["sleep", "0.034"])
        text = f"page {page}: {names} names"
        code = helper.wait(timeout=5) #TIMEOUT
        code = helper.wait() #-TIMEOUT
        lines.append(text if code == 0 else "failed")
    return lines


def main():
    rounds, pages = int(sys.argv[1]), int(sys.argv[2])
    root = grown(4000)
    total = 0
    for at in range(rounds):
        total += gaps(root) + named(root, ("Ada", "Dora", "Greta")[at % 3])
    print(total, len(printed(pages, total % 100)))


main()
