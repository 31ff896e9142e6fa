"""Builds a forest of small trees."""


def tree(depth):
    if depth == 0:
        return [None, None]
    return [tree(depth - 1), tree(depth - 1)]


forest = [tree(11) for _ in range(25)]
print(len(forest))
