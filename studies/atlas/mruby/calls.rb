# Methods that call themselves, and blocks. calls.mrb is this, compiled by mrbc.
def fib(n)
  n < 2 ? n : fib(n - 1) + fib(n - 2)
end

def ackermann(m, n)
  return n + 1 if m == 0
  return ackermann(m - 1, 1) if n == 0
  ackermann(m - 1, ackermann(m, n - 1))
end

def apply(times)
  sum = 0
  i = 0
  while i < times
    sum += yield(i)
    i += 1
  end
  sum
end

raise "fib" unless fib(27) == 196418
round = 0
while round < 40
  raise "ackermann" unless ackermann(2, 60) == 123
  round += 1
end
raise "blocks" unless apply(600_000) { |i| i * 2 } == 359_999_400_000
