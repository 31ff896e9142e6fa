"""Scripts that give an interpreter work, for a project that has none itself.

Plain language of any engine: JavaScript of ECMAScript 5 without input and output, Lua from 5.1 on,
Python 3.
Each ends with an error where its result is wrong.
"""

from __future__ import annotations

_JS_CALLS = """\
// Calls and arithmetic of small integers.
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
if (fib(24) !== 46368) throw new Error("fib");
"""

_JS_OBJECTS = """\
// Objects that are made, and properties that are read and written.
function Point(x, y) { this.x = x; this.y = y; }
Point.prototype.plus = function (other) { return new Point(this.x + other.x, this.y + other.y); };
var sum = new Point(0, 0), step = new Point(1, 2);
for (var i = 0; i < 100000; i++) sum = sum.plus(step);
if (sum.x !== 100000 || sum.y !== 200000) throw new Error("objects");
"""

_JS_STRINGS = """\
// Strings that are built, searched, split and joined.
var words = [];
for (var i = 0; i < 1000; i++) words.push("word" + (i * 7919 % 1000));
var text = words.join(" "), count = 0;
for (var j = 0; j < text.length; j++) if (text.charCodeAt(j) === 32) count++;
for (var k = 0; k < 20; k++) count += text.split(" ").length + (text.indexOf("none") < 0 ? 0 : 1);
if (count !== 999 + 20 * 1000) throw new Error("strings");
if (text.replace(/word(\\d)/g, "$1-").length !== text.length - 3 * 1000) throw new Error("replace");
"""

_JS_ARRAYS = """\
// Arrays that are filled, sorted and looked up, numbers with fractions.
var numbers = [], seed = 42;
for (var i = 0; i < 20000; i++) {
  seed = (seed * 16807) % 2147483647;
  numbers.push(seed / 2147483647);
}
numbers.sort(function (a, b) { return a - b; });
var index = {};
for (var j = 1; j < numbers.length; j++) {
  if (numbers[j - 1] > numbers[j]) throw new Error("sort");
  index["k" + j % 1000] = numbers[j];
}
if (index.k999 !== numbers[19999]) throw new Error("index");
"""

_LUA_CALLS = """\
-- Calls and arithmetic of small integers.
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
assert(fib(29) == 514229)
"""

_LUA_TABLES = """\
-- Tables that are made, filled, sorted and looked up.
local numbers, seed = {}, 42
for i = 1, 50000 do
  seed = seed * 16807 % 2147483647
  numbers[i] = seed
end
table.sort(numbers)
local index = {}
for i = 2, #numbers do
  assert(numbers[i - 1] <= numbers[i])
  index["k" .. i % 1000] = { value = numbers[i] }
end
assert(index.k0.value == numbers[50000])
"""

_LUA_STRINGS = """\
-- Strings that are built, matched and replaced.
local words = {}
for i = 1, 20000 do words[i] = "word" .. (i * 7919 % 20000) end
local text, count = table.concat(words, " "), 0
for word in text:gmatch("%a+") do count = count + #word end
assert(count == 4 * 20000)
assert(#text:gsub("word", "w") == #text - 3 * 20000)
"""

_PY_CALLS = """\
# Calls and arithmetic of small integers.
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


assert fib(22) == 17711
"""

_PY_OBJECTS = """\
# Objects that are made, attributes that are read and written, and methods.
class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def plus(self, other):
        return Point(self.x + other.x, self.y + other.y)


total, step = Point(0, 0), Point(1, 2)
for i in range(40000):
    total = total.plus(step)
assert (total.x, total.y) == (40000, 80000)
"""

_PY_STRINGS = """\
# Strings that are formatted, joined, split, searched and replaced.
words = [f"word{i * 7919 % 20000}" for i in range(20000)]
text = " ".join(words)
assert sum(len(word.strip("word")) for word in text.split(" ")) == len(text) - 5 * 20000 + 1
assert len(text.replace("word", "w")) == len(text) - 3 * 20000
assert text.encode().decode() == text and text.find("none") < 0
"""

_PY_CONTAINERS = """\
# Lists, dictionaries and sets that are filled, sorted and looked up.
numbers, seed = [], 42
for i in range(20000):
    seed = seed * 16807 % 2147483647
    numbers.append(seed)
numbers.sort()
index = {}
for number in numbers:
    index.setdefault(number % 1000, []).append(number)
assert sum(len(found) for found in index.values()) == 20000
assert len(set(numbers) | {n + 1 for n in numbers}) >= 20000
assert sorted(numbers, key=lambda n: -n)[0] == numbers[-1]
"""

_PY_FLOW = """\
# Generators, exceptions, and numbers with fractions.
def halves(n):
    for i in range(n):
        try:
            if i % 8 == 0:
                raise ValueError(i)
            yield i * 0.5
        except ValueError as error:
            yield error.args[0] / 2


assert sum(halves(40000)) == 0.5 * 40000 * 39999 / 2
"""

_PY_LIBRARY = """\
# Modules of the library: JSON, regular expressions, copies.
import copy
import json
import re

data = {"key%d" % i: [i, i / 2, str(i), None] for i in range(1000)}
text = json.dumps(data, indent=1)
assert json.loads(text) == data
assert len(re.findall(r'"key(\\d+)"', text)) == 1000
assert copy.deepcopy(data) == data
"""

#: Scripts by the ending of the language's files, and by what they give work.
SCRIPTS = {
    "js": {
        "calls": _JS_CALLS,
        "objects": _JS_OBJECTS,
        "strings": _JS_STRINGS,
        "arrays": _JS_ARRAYS,
    },
    "lua": {"calls": _LUA_CALLS, "tables": _LUA_TABLES, "strings": _LUA_STRINGS},
    "py": {
        "calls": _PY_CALLS,
        "objects": _PY_OBJECTS,
        "strings": _PY_STRINGS,
        "containers": _PY_CONTAINERS,
        "flow": _PY_FLOW,
        "library": _PY_LIBRARY,
    },
}

#: A script that ends with an error: what ends well with it does not run scripts.
WRONG = {
    "js": 'throw new Error("on purpose");\n',
    "lua": 'error("on purpose")\n',
    "py": 'raise ValueError("on purpose")\n',
}
