"""Prints the moves of a robot, one a line."""


def moves(count):
    x = y = 0
    dx, dy = 1, 0
    for step in range(count):
        if step * step % 7 == 2:
            dx, dy = -dy, dx
        x, y = x + dx, y + dy
        yield step, x, y


def main():
    for step, x, y in moves(40000):
        print(step, x, y)


main()
