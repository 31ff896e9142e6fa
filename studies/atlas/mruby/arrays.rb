# A sieve, queens on a board, and objects. arrays.mrb is this, compiled by mrbc.
def filled(n, value)
  array = []
  while n > 0
    array.push(value)
    n -= 1
  end
  array
end

def sieve(n)
  composite = filled(n + 1, false)
  primes = 0
  i = 2
  while i <= n
    unless composite[i]
      primes += 1
      j = i * i
      while j <= n
        composite[j] = true
        j += i
      end
    end
    i += 1
  end
  primes
end

class Board
  def initialize(n, columns, rising, falling)
    @n = n
    @columns = columns
    @rising = rising
    @falling = falling
  end

  def place(row)
    return 1 if row == @n
    solutions = 0
    column = 0
    while column < @n
      up = row + column
      down = row - column + @n
      unless @columns[column] || @rising[up] || @falling[down]
        @columns[column] = @rising[up] = @falling[down] = true
        solutions += place(row + 1)
        @columns[column] = @rising[up] = @falling[down] = false
      end
      column += 1
    end
    solutions
  end
end

round = 0
while round < 4
  raise "sieve" unless sieve(100_000) == 9592
  round += 1
end
raise "queens" unless Board.new(8, filled(8, false), filled(16, false), filled(16, false)).place(0) == 92
