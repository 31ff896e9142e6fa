"""Lengths of routes between places on a grid."""


def ways(right, down):
    if right == 0 or down == 0:
        return 1
    return ways(right - 1, down) + ways(right, down - 1)


print(sum(ways(8, 8) for _ in range(40)))
