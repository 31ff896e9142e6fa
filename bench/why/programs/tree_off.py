"""Builds a forest of small trees."""

import gc


def tree(depth):
    if depth == 0:
        return [None, None]
    return [tree(depth - 1), tree(depth - 1)]


gc.disable()
forest = [tree(11) for _ in range(25)]
print(len(forest))
