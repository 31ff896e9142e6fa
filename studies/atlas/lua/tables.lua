-- Integers in arrays: a sieve, a sort and a product of matrices.
local function sieve(n)
  local composite, primes = {}, 0
  for i = 2, n do
    if not composite[i] then
      primes = primes + 1
      for j = i * i, n, i do composite[j] = true end
    end
  end
  return primes
end

local function shellsort(n)
  local values, seed = {}, 1
  for i = 1, n do
    seed = (seed * 16807) % 2147483647
    values[i] = seed
  end
  local gap = n // 2
  while gap > 0 do
    for i = gap + 1, n do
      local value, j = values[i], i
      while j > gap and values[j - gap] > value do
        values[j] = values[j - gap]
        j = j - gap
      end
      values[j] = value
    end
    gap = gap // 2
  end
  for i = 2, n do assert(values[i - 1] <= values[i]) end
  return values[1]
end

local function product(n)
  local a, b, trace = {}, {}, 0
  for i = 1, n do
    a[i], b[i] = {}, {}
    for j = 1, n do a[i][j], b[i][j] = i + j, i - j end
  end
  for i = 1, n do
    for j = 1, n do
      local sum = 0
      for k = 1, n do sum = sum + a[i][k] * b[k][j] end
      if i == j then trace = trace + sum end
    end
  end
  return trace
end

assert(sieve(200000) == 17984)
assert(shellsort(10000) == 8383)
assert(product(60) == 0)
