// Methods that call themselves, and blocks.
class Calls {
  static fib(n) { n < 2 ? n : fib(n - 1) + fib(n - 2) }
  static ackermann(m, n) {
    if (m == 0) return n + 1
    if (n == 0) return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))
  }
  static apply(block, n) {
    var sum = 0
    for (i in 1..n) sum = sum + block.call(i)
    return sum
  }
}

if (Calls.fib(24) != 46368) Fiber.abort("fib")
for (round in 1..6) {
  if (Calls.ackermann(2, 60) != 123) Fiber.abort("ackermann")
}
if (Calls.apply(Fn.new {|i| i * 2 }, 100000) != 10000100000) Fiber.abort("blocks")
