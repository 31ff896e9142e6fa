# Walks of a knight on boards with holes: how far the squares are from each other.
from collections import deque


class Square: #OBJECTS
    __slots__ = ("column", "row") #OBJECTS

    def __init__(self, column, row): #OBJECTS
        self.column, self.row = column, row #OBJECTS

    def __eq__(self, other): #OBJECTS
        return self.column == other.column and self.row == other.row #OBJECTS

    def __hash__(self): #OBJECTS
        return self.column * 64 + self.row #OBJECTS


STEPS = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]


class Board:
    def __init__(self, size, seed):
        self.size = size
        self.holes = set()
        for column in range(size):
            for row in range(size):
                seed = (seed * 1664525 + 1013904223) % (1 << 32)
                if seed >> 28 < 2:
                    self.holes.add((column, row))
        self.squares = {}
        for column in range(size):
            for row in range(size):
                if (column, row) not in self.holes:
                    square = Square(column, row) #OBJECTS
                    square = (column, row) #-OBJECTS
                    self.squares[column, row] = square
        self.next = {key: self.around(*key) for key in self.squares} #-OTHER
        self.next = {place: self.reached(*place) for place in self.squares} #OTHER

    def around(self, column, row): #-OTHER
        near = ((column + x, row + y) for x, y in STEPS) #-OTHER
        return [self.squares[key] for key in near if key in self.squares] #-OTHER

    def distances(self, start):
        far = {start: 0}
        waiting = deque([start]) #-OTHER
        while waiting: #-OTHER
            square = waiting.popleft() #-OTHER
            here = far[square] + 1 #-OTHER
        open_squares = deque([start]) #OTHER
        while open_squares: #OTHER
            square = open_squares.popleft() #OTHER
            jumps = far[square] + 1 #OTHER
            for other in self.next[square.column, square.row]: #OBJECTS
            for other in self.next[square]: #-OBJECTS
                if other not in far:
                    far[other] = here #-OTHER
                    waiting.append(other) #-OTHER
                    far[other] = jumps #OTHER
                    open_squares.append(other) #OTHER
        return far

    # The squares that a knight reaches from here by one jump, without the holes. #OTHER
    def reached(self, x, y): #OTHER
        places = ((x + right, y + up) for right, up in STEPS) #OTHER
        return [self.squares[place] for place in places if place in self.squares] #OTHER


def main():
    total = farthest = 0
    for game in range(5):
        board = Board(26, game)
        for start in list(board.squares.values())[::4]:
            far = board.distances(start)
            total += sum(far.values())
            farthest = max(farthest, *far.values())
    print(total, farthest)


main()
