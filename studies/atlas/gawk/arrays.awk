# Numbers in arrays: a sieve and queens on a board.
function sieve(n,    i, j, composite, primes) {
  for (i = 2; i <= n; i++) {
    if (i in composite) continue
    primes++
    for (j = i * i; j <= n; j += i) composite[j] = 1
  }
  return primes
}

function queens(n, row,    column, solutions) {
  if (row == n) return 1
  for (column = 0; column < n; column++) {
    if (used[column] || rising[row + column] || falling[row - column]) continue
    used[column] = rising[row + column] = falling[row - column] = 1
    solutions += queens(n, row + 1)
    used[column] = rising[row + column] = falling[row - column] = 0
  }
  return solutions
}

BEGIN {
  if (sieve(200000) != 17984) exit 1
  if (queens(7, 0) != 40) exit 1
}
