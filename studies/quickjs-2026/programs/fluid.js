// A drop that spreads and drifts in a square of cells: floating point numbers in arrays, nested loops.
function field(n) {
  var cells = new Array((n + 2) * (n + 2));
  for (var i = 0; i < cells.length; i++) cells[i] = 0;
  return cells;
}

function border(n, cells) {
  var row = n + 2;
  for (var i = 1; i <= n; i++) {
    cells[i] = cells[i + row];
    cells[i + (n + 1) * row] = cells[i + n * row];
    cells[i * row] = cells[i * row + 1];
    cells[i * row + n + 1] = cells[i * row + n];
  }
}

function diffuse(n, to, from, rate, rounds) {
  var row = n + 2, scale = 1 / (1 + 4 * rate);
  for (var k = 0; k < rounds; k++) {
    for (var j = 1; j <= n; j++) {
      for (var i = 1, at = j * row + 1; i <= n; i++, at++)
        to[at] = (from[at] + rate * (to[at - 1] + to[at + 1] + to[at - row] + to[at + row])) * scale;
    }
    border(n, to);
  }
}

function drift(n, to, from, u, v, step) {
  var row = n + 2;
  for (var j = 1; j <= n; j++)
    for (var i = 1; i <= n; i++) {
      var at = j * row + i;
      var x = Math.min(Math.max(i - step * u[at], 0.5), n + 0.5);
      var y = Math.min(Math.max(j - step * v[at], 0.5), n + 0.5);
      var i0 = x | 0, j0 = y | 0, fx = x - i0, fy = y - j0, a = j0 * row + i0;
      to[at] = (1 - fx) * ((1 - fy) * from[a] + fy * from[a + row]) +
        fx * ((1 - fy) * from[a + 1] + fy * from[a + row + 1]);
    }
  border(n, to);
}

var n = 40, u = field(n), v = field(n), a = field(n), b = field(n), row = n + 2;
for (var j = 1; j <= n; j++)
  for (var i = 1; i <= n; i++) {
    u[j * row + i] = (n / 2 - j) / n;
    v[j * row + i] = (i - n / 2) / n;
  }
for (var step = 0; step < 12; step++) {
  a[10 * row + 20] += 100;
  diffuse(n, b, a, 0.1, 10);
  drift(n, a, b, u, v, 2);
}
for (var sum = 0, at = 0; at < a.length; at++) sum += a[at] * (at % 7);
var result = sum.toFixed(6);
if (result !== "3108.761609") throw new Error(result);
