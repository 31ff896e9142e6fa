// Derivatives of formulas, simplified by rules until none applies: lists of pairs, recursion, closures.
function Pair(head, tail) {
  this.head = head;
  this.tail = tail;
}
function list() {
  for (var i = arguments.length - 1, out = null; i >= 0; i--) out = new Pair(arguments[i], out);
  return out;
}
function second(l) { return l.tail.head; }
function third(l) { return l.tail.tail.head; }

function equal(a, b) {
  if (!(a instanceof Pair) || !(b instanceof Pair)) return a === b;
  return equal(a.head, b.head) && equal(a.tail, b.tail);
}

function derivative(e) {
  if (!(e instanceof Pair)) return e === "x" ? 1 : 0;
  switch (e.head) {
    case "+": return list("+", derivative(second(e)), derivative(third(e)));
    case "*":
      return list("+", list("*", derivative(second(e)), third(e)), list("*", second(e), derivative(third(e))));
    case "sin": return list("*", list("cos", second(e)), derivative(second(e)));
    case "cos": return list("*", list("*", -1, list("sin", second(e))), derivative(second(e)));
  }
  throw new Error(e.head);
}

// A rule is a pattern, whose variables begin with "?", and what to make of its match.
function rule(pattern, make) { return { pattern: pattern, make: make }; }
var rules = [
  rule(list("+", 0, "?a"), function (b) { return b.a; }),
  rule(list("+", "?a", 0), function (b) { return b.a; }),
  rule(list("*", 0, "?a"), function () { return 0; }),
  rule(list("*", "?a", 0), function () { return 0; }),
  rule(list("*", 1, "?a"), function (b) { return b.a; }),
  rule(list("*", "?a", 1), function (b) { return b.a; }),
  rule(list("+", "?a", "?a"), function (b) { return list("*", 2, b.a); }),
  rule(list("*", "?a", list("+", "?b", "?c")), function (b) {
    return list("+", list("*", b.a, b.b), list("*", b.a, b.c));
  }),
  rule(list("*", list("*", "?a", "?b"), "?c"), function (b) { return list("*", b.a, list("*", b.b, b.c)); }),
];

function match(pattern, e, bound) {
  if (pattern instanceof Pair)
    return e instanceof Pair && match(pattern.head, e.head, bound) && match(pattern.tail, e.tail, bound);
  if (typeof pattern !== "string" || pattern.charAt(0) !== "?") return pattern === e;
  var name = pattern.slice(1);
  if (name in bound) return equal(bound[name], e);
  bound[name] = e;
  return true;
}

var applied = 0;

function simplify(e) {
  if (!(e instanceof Pair)) return e;
  var parts = new Pair(e.head, null), last = parts;
  for (var rest = e.tail; rest !== null; rest = rest.tail) {
    last.tail = new Pair(simplify(rest.head), null);
    last = last.tail;
  }
  for (var i = 0; i < rules.length; i++) {
    var bound = {};
    if (!match(rules[i].pattern, parts, bound)) continue;
    applied++;
    return simplify(rules[i].make(bound));
  }
  return parts;
}

function size(e) { return e instanceof Pair ? size(e.head) + size(e.tail) : e === null ? 0 : 1; }

var e = list("*", list("sin", list("*", "x", "x")), list("+", list("cos", "x"), list("*", "x", 3)));
var sizes = [];
for (var i = 0; i < 4; i++) {
  e = simplify(derivative(e));
  sizes.push(size(e));
}
var result = sizes.join(" ") + " " + applied;
if (result !== "41 108 334 1098 562") throw new Error(result);
