# Functions that call themselves.
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }

function ackermann(m, n) {
  if (m == 0) return n + 1
  if (n == 0) return ackermann(m - 1, 1)
  return ackermann(m - 1, ackermann(m, n - 1))
}

BEGIN {
  if (fib(25) != 75025) exit 1
  if (ackermann(2, 150) != 303) exit 1
}
