// Numbers in lists: a sieve and queens on a board.
class Arrays {
  static sieve(n) {
    var composite = List.filled(n + 1, false)
    var primes = 0
    var i = 2
    while (i <= n) {
      if (!composite[i]) {
        primes = primes + 1
        var j = i * i
        while (j <= n) {
          composite[j] = true
          j = j + i
        }
      }
      i = i + 1
    }
    return primes
  }

  static queens(n) {
    var columns = List.filled(n, false)
    var rising = List.filled(2 * n, false)
    var falling = List.filled(2 * n, false)
    return place(n, 0, columns, rising, falling)
  }

  static place(n, row, columns, rising, falling) {
    if (row == n) return 1
    var solutions = 0
    var column = 0
    while (column < n) {
      var up = row + column
      var down = row - column + n
      if (!columns[column] && !rising[up] && !falling[down]) {
        columns[column] = true
        rising[up] = true
        falling[down] = true
        solutions = solutions + place(n, row + 1, columns, rising, falling)
        columns[column] = false
        rising[up] = false
        falling[down] = false
      }
      column = column + 1
    }
    return solutions
  }
}

if (Arrays.sieve(200000) != 17984) Fiber.abort("sieve")
if (Arrays.queens(8) != 92) Fiber.abort("queens")
