// Functions that call themselves.
function fib(n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

function ackermann(m, n) {
  if (m === 0) return n + 1;
  if (n === 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

if (fib(23) !== 28657) throw new Error("fib");
for (var round = 0; round < 6; round++)
  if (ackermann(2, 60) !== 123) throw new Error("ackermann");
