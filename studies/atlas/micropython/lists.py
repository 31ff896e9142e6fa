# Numbers in lists: a sieve and queens on a board.
def sieve(n):
    composite = [False] * (n + 1)
    primes = 0
    for i in range(2, n + 1):
        if not composite[i]:
            primes += 1
            for j in range(i * i, n + 1, i):
                composite[j] = True
    return primes


def queens(n, row, used, rising, falling):
    if row == n:
        return 1
    solutions = 0
    for column in range(n):
        up = row + column
        down = row - column + n
        if not (used[column] or rising[up] or falling[down]):
            used[column] = rising[up] = falling[down] = True
            solutions += queens(n, row + 1, used, rising, falling)
            used[column] = rising[up] = falling[down] = False
    return solutions


assert sieve(500000) == 41538
assert queens(7, 0, [False] * 7, [False] * 14, [False] * 14) == 40
