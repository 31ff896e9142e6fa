"""Plays a game of stones to a given depth: each move is tried on a board of its own."""

import copy

SIZE = 6


def moves(board, player):
    found = []
    for y in range(SIZE):
        for x in range(SIZE):
            if board[y][x] == player:
                for dy, dx in ((0, 1), (1, 0), (1, 1)):
                    if y + dy < SIZE and x + dx < SIZE and board[y + dy][x + dx] == ".":
                        found.append((y, x, y + dy, x + dx))
    return found


def moved(board, move):
    y, x, to_y, to_x = move
    new = copy.deepcopy(board)  #DEEP
    new = [row[:] for row in board]  #-DEEP
    new[to_y][to_x] = new[y][x]
    new[y][x] = "."
    return new


def value(board):
    return sum(y + x for y in range(SIZE) for x in range(SIZE) if board[y][x] == "w") - sum(
        y + x for y in range(SIZE) for x in range(SIZE) if board[y][x] == "b"
    )


def best(board, player, depth):
    options = moves(board, player)
    if depth == 0 or not options:
        return value(board)
    other = "b" if player == "w" else "w"
    values = [best(moved(board, move), other, depth - 1) for move in options]
    return max(values) if player == "w" else min(values)


def main():
    board = [["."] * SIZE for _ in range(SIZE)]
    for i in range(4):
        board[0][i] = "w"
        board[2][i + 1] = "b"
    print(best(board, "w", 4))


main()
