// Integers in arrays: a sieve, a sort and a product of matrices.
function sieve(n) {
  var composite = [], primes = 0, i, j;
  for (i = 0; i <= n; i++) composite.push(false);
  for (i = 2; i <= n; i++) {
    if (composite[i]) continue;
    primes++;
    for (j = i * i; j <= n; j += i) composite[j] = true;
  }
  return primes;
}

function shellsort(n) {
  var values = [], seed = 1, gap, i, j, value;
  for (i = 0; i < n; i++) {
    seed = (seed * 16807) % 2147483647;
    values.push(seed);
  }
  for (gap = n >> 1; gap > 0; gap >>= 1) {
    for (i = gap; i < n; i++) {
      value = values[i];
      for (j = i; j >= gap && values[j - gap] > value; j -= gap) values[j] = values[j - gap];
      values[j] = value;
    }
  }
  for (i = 1; i < n; i++) if (values[i - 1] > values[i]) throw new Error("shellsort");
  return values[0];
}

function product(n) {
  var a = [], b = [], trace = 0, i, j, k, sum;
  for (i = 0; i < n; i++) {
    a.push([]);
    b.push([]);
    for (j = 0; j < n; j++) {
      a[i].push(i + j);
      b[i].push(i - j);
    }
  }
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) {
      for (k = 0, sum = 0; k < n; k++) sum += a[i][k] * b[k][j];
      if (i === j) trace += sum;
    }
  }
  return trace;
}

if (sieve(60000) !== 6057) throw new Error("sieve");
if (shellsort(4000) !== 13456) throw new Error("shellsort");
if (product(40) !== 0) throw new Error("product");
