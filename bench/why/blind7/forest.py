# A forest, year by year: trees grow, are in the shade of others, burn or are cut.
import random


class Tree:
    def __init__(self, kind, height):
        self.kind = kind
        self.height = height
        self.age = 0


class Forest:
    def __init__(self, side):
        self.side = side
        self.random = random.Random(4)
        self.trees = {}
        self.log = ""
        for x in range(side):
            for y in range(side):
                if self.random.random() < 0.6:
                    self.trees[x, y] = Tree("oak" if (x + y) % 3 else "pine", 1 + self.random.random())
        self.burnt = self.cut = 0

    def shade(self, x, y, height):
        dark = 0
        for place in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
            other = self.trees.get(place)
            if other is not None and other.height > height:
                dark += 1
        return dark

    def year(self, number):
        lines = [] #-TEXT
        for (x, y), tree in list(self.trees.items()):
            tree.age += 1
            tree.height += (0.4 if tree.kind == "oak" else 0.6) / (1 + self.shade(x, y, tree.height))
            if tree.age > 30 and tree.height > 12:
                del self.trees[x, y]
                self.cut += 1
                self.log += f"{number}: {tree.kind} at {x}/{y} cut, {tree.height:.1f} m\n" #TEXT
                lines.append(f"{number}: {tree.kind} at {x}/{y} cut, {tree.height:.1f} m\n") #-TEXT
            elif tree.age % 4 == 0:
                self.log += f"{number}: {tree.kind} at {x}/{y} measured, {tree.height:.1f} m\n" #TEXT
                lines.append(f"{number}: {tree.kind} at {x}/{y} measured, {tree.height:.1f} m\n") #-TEXT
        self.log += "".join(lines) #-TEXT

    def fire(self):
        start = self.random.choice(sorted(self.trees))
        waiting, gone = [start], {start}
        while waiting and len(gone) < 40:
            x, y = waiting.pop()
            for place in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
                if place in self.trees and place not in gone and self.random.random() < 0.5:
                    gone.add(place)
                    waiting.append(place)
        for place in gone:
            del self.trees[place]
        self.burnt += len(gone)


def main():
    forest = Forest(34)
    for number in range(50):
        forest.year(number)
        if number % 5 == 4:
            forest.fire()
    print(len(forest.trees), forest.burnt, forest.cut, len(forest.log), len(forest.log.splitlines()))


main()
