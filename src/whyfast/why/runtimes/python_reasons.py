"""Why a Python function takes longer: a function of C that it calls, an operator that works through
data, more executions of a line, or more bytecodes."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whyfast.model.why import Basis, Fact
from whyfast.why.runtimes.python_runs import CountedPython, PyFunction, TracedLine


@dataclass(frozen=True)
class Reason:
    """A cause's key and sentence for one function; ``line`` is where, 0 for its first."""

    key: str
    sentence: str
    basis: Basis
    line: int = 0
    facts: tuple[Fact, ...] = ()
    remedy: str = ""


#: Share of a function's traced difference that a line must carry, seconds of one execution from
#: which it does more than bytecodes, and how many times as long as on the other side.
CARRIES, LONG, LONGER = 0.5, 2e-6, 2.0

#: How many times as many executions or bytecodes are *more*.
MORE_LINES, MORE_BYTECODES = 1.5, 1.1

#: Seconds that a bytecode takes at the most without working through data, an object to be made and
#: freed, and a part of a string: counts that could not take the difference are not its reason.
BYTECODE, OBJECT, TEXT = 1e-7, 5e-7, 2e-7

#: How many times as long as the average before further bytecodes take at the most, the least that
#: is taken for this average, and seconds of one that calls something else.
DEARER, LEAST_BYTECODE, CALL = 2.0, 2e-8, 5e-7

#: Seconds that raising and handling an exception takes at the most, and lines that take as long as
#: one of a few frames (tens of nanoseconds each).
EXCEPTION, HANDLED = 2e-6, 20

#: Bytecodes that end the body of a loop; before Python 3.11 the second.
_LOOPS = ("JUMP_BACKWARD", "JUMP_ABSOLUTE", "JUMP_BACKWARD_NO_INTERRUPT")

#: Bytecodes that make objects.
BUILDS = {
    "BUILD_LIST": "lists",
    "BUILD_MAP": "dicts",
    "BUILD_SET": "sets",
    "BUILD_TUPLE": "tuples",
    "BUILD_STRING": "strings",
    "FORMAT_VALUE": "strings",
    "MAKE_FUNCTION": "functions",
}

REMEDY = "fewer operations in its innermost loop: local names for what does not change"


def line_reason(
    fast: Mapping[int, TracedLine],
    slow: Mapping[int, TracedLine],
    stopped: tuple[bool, bool],
    seconds: float,
    name: str,
    file: str,
    quoted: str,
) -> Reason | None:
    """Why a function takes longer, by its lines on both sides; None where they do not show it.

    ``seconds`` is the difference of its time. ``stopped``: which sides were traced for a part of
    their run only. Counts are then at least what they are, and tell nothing of a fast side.
    """
    reason = _operator(fast, slow, name, file)
    if reason is None and all(stopped):
        reason = _density(fast, slow, name, quoted)
    elif reason is None and not stopped[0]:
        least = "more than " if stopped[1] else ""
        reason = _executions(fast, slow, name, file, quoted, least)
        reason = reason or _bytecodes(fast, slow, seconds, name, quoted, least)
    return reason or _types(fast, slow, name, file, quoted)


def _operator(
    fast: Mapping[int, TracedLine], slow: Mapping[int, TracedLine], name: str, file: str
) -> Reason | None:
    """A line whose single execution takes long, because an operator works through data."""
    cost = min((r.seconds / r.count for r in (*fast.values(), *slow.values())), default=0.0)
    difference = _net(slow, cost) - _net(fast, cost)
    number, line = max(slow.items(), key=lambda row: row[1].seconds)
    each = line.seconds / line.count - cost
    others = [r.seconds / r.count - cost for r in fast.values() if r.count > line.count / 2]
    if line.seconds - line.count * cost < CARRIES * difference or difference <= 0:
        return None
    if each < LONG or each < LONGER * max(others, default=0.0):
        return None
    work = work_at(file, number, line.held)
    if work is None:
        return None
    key, sentence, remedy = work
    fact = Fact("seconds of the line", _net(fast, cost), _net(slow, cost), "s", "measured", "trace")
    text = f"{sentence} in {_at(name, file, number)}"
    return Reason(key, text, "measured", number, (fact,), remedy)


def _net(lines: Mapping[int, TracedLine], cost: float) -> float:
    return sum(r.seconds - r.count * cost for r in lines.values())


def _executions(
    fast: Mapping[int, TracedLine],
    slow: Mapping[int, TracedLine],
    name: str,
    file: str,
    quoted: str,
    least: str,
) -> Reason | None:
    number, line = max(slow.items(), key=lambda row: row[1].count)
    other = max(r.count for r in fast.values())
    if line.count < MORE_LINES * other or line.count < 1000:
        return None
    fact = Fact("executions of the line", other, line.count, "", "counted", "sys.settrace")
    if not any(op in _LOOPS for row in fast.values() for op in row.bytecodes):
        text = f"{_at(name, file, number)} runs {least}{line.count:,} times in a loop of Python"
        text += f"; `{quoted}` has no loop there"
        return Reason("interpreter", text, "counted", number, (fact,), REMEDY)
    return Reason(
        "more-work",
        f"{_at(name, file, number)} runs {least}{line.count:,} times "
        f"(`{quoted}` runs no line of it more than {other:,} times)",
        "counted",
        number,
        (fact,),
    )


def _bytecodes(
    fast: Mapping[int, TracedLine],
    slow: Mapping[int, TracedLine],
    seconds: float,
    name: str,
    quoted: str,
    least: str,
) -> Reason | None:
    counts = [_executed(side) for side in (fast, slow)]
    a, b = (sum(c.values()) for c in counts)
    more = counts[1] - counts[0]
    handled = [sum(line.raised for line in side.values()) for side in (fast, slow)]
    if (handled[1] - handled[0]) * EXCEPTION >= CARRIES * seconds > 0:
        text = f"{name} handles {handled[1]:,} exceptions (`{quoted}`: {handled[0]:,})"
        fact = Fact("exceptions handled", handled[0], handled[1], "", "counted", "sys.settrace")
        return Reason("exceptions", text, "counted", 0, (fact,), "test for the case beforehand")
    for opcode, kind in BUILDS.items():
        if more[opcode] * (TEXT if kind == "strings" else OBJECT) >= CARRIES * seconds > 0:
            fact = Fact(opcode, counts[0][opcode], counts[1][opcode], "", "counted", "sys.settrace")
            text = (
                f"{name} makes {counts[1][opcode]:,} new {kind} (`{quoted}`: {counts[0][opcode]:,})"
            )
            return Reason("allocation", text, "counted", 0, (fact,))
    if b < MORE_BYTECODES * a or (b - a) * BYTECODE < CARRIES * seconds:
        return None
    most = ", ".join(f"{n:,} more {op}" for op, n in more.most_common(2) if n > 0.1 * (b - a))
    x, y = (sum(n for op, n in c.items() if op.startswith(("CALL", "IMPORT"))) for c in counts)
    tool = "lines times their bytecodes"
    return Reason(
        "interpreter",
        f"{name} executes {least or 'about '}{b:,} bytecodes "
        f"(`{quoted}`: {a:,}{f'; {most}' if most else ''})",
        "counted",
        0,
        (
            Fact("bytecodes", a, b, "", "counted", tool),
            Fact("bytecodes that call", x, y, "", "counted", tool),
        ),
        REMEDY,
    )


def takes_difference(reason: Reason, before: float, seconds: float) -> bool:
    """Whether further bytecodes, where it counts any, can take this difference. ``before`` is what
    the fast side takes in the function, both in seconds."""
    facts = {f.name: (f.fast or 0.0, f.slow or 0.0) for f in reason.facts}
    if "bytecodes" not in facts:
        return True
    (a, b), (calls, more_calls) = facts["bytecodes"], facts["bytecodes that call"]
    each = DEARER * max(before / max(a, 1.0), LEAST_BYTECODE)
    further = max(0.0, more_calls - calls)
    return (b - a - further) * each + further * CALL >= CARRIES * seconds


def _density(
    fast: Mapping[int, TracedLine], slow: Mapping[int, TracedLine], name: str, quoted: str
) -> Reason | None:
    """Bytecodes per line of two runs that were both traced for as many lines."""
    counts = [_executed(side) for side in (fast, slow)]
    lines = [max(1, sum(r.count for r in side.values())) for side in (fast, slow)]
    a, b = (sum(c.values()) / n for c, n in zip(counts, lines, strict=True))
    handled = [sum(line.raised for line in side.values()) for side in (fast, slow)]
    if handled[1] / lines[1] - handled[0] / lines[0] >= 1 / HANDLED:
        text = f"{name} handles {handled[1]:,} exceptions in {lines[1]:,} lines"
        text += f" (`{quoted}`: {handled[0]:,} in {lines[0]:,})"
        return Reason("exceptions", text, "counted", remedy="test for the case beforehand")
    if b < MORE_BYTECODES * a:
        return None
    most = ", ".join(f"`{op}`" for op, _ in (counts[1] - counts[0]).most_common(2))
    return Reason(
        "interpreter",
        f"{name} executes {b:.3g} bytecodes a line (`{quoted}`: {a:.3g}), more of {most}",
        "counted",
        0,
        (Fact("bytecodes a line", a, b, "", "counted", "first million lines"),),
        REMEDY,
    )


def _types(
    fast: Mapping[int, TracedLine],
    slow: Mapping[int, TracedLine],
    name: str,
    file: str,
    quoted: str,
) -> Reason | None:
    """A variable that holds another type on each side, wherever it was seen, in the line that takes
    most of the time."""
    types, mine = _held_types(fast), _held_types(slow)
    nodes = list(_nodes(file))
    for number, line in sorted(slow.items(), key=lambda row: -row[1].seconds):
        names = {n.id for n in nodes if isinstance(n, ast.Name) and n.lineno == number}
        for variable in sorted(names & line.held.keys()):
            kind, others = line.held[variable][0], types.get(variable, set())
            if others and not others & mine[variable] and not {kind, *others} & _NO_DATA:
                other = min(others)
                text = f"`{variable}` is of type {kind}, in `{quoted}` of type {other}"
                text += f", and takes longer to work with in {_at(name, file, number)}"
                return Reason("more-work", text, "measured", number)
    return None


def _held_types(lines: Mapping[int, TracedLine]) -> dict[str, set[str]]:
    """The types that each variable was seen with: one name may stand for several things."""
    types: dict[str, set[str]] = {}
    for line in lines.values():
        for variable, (kind, _) in line.held.items():
            types.setdefault(variable, set()).add(kind)
    return types


#: Types of names that nothing is computed with.
_NO_DATA = frozenset(("NoneType", "module", "function", "type", "builtin_function_or_method"))


def _executed(lines: Mapping[int, TracedLine]) -> Counter[str]:
    total: Counter[str] = Counter()
    for line in lines.values():
        for opcode in line.bytecodes:
            total[opcode] += line.count
    return total


def _at(name: str, file: str, line: int) -> str:
    """``lookup`` (x.py:5), by the line instead of the function's first."""
    return f"{name.split(' ')[0]} ({file.rsplit('/', 1)[-1]}:{line})"


def work_at(
    file: str, number: int, held: Mapping[str, tuple[str, int]]
) -> tuple[str, str, str] | None:
    """(cause, what the line does, what to try) for an operator of a line on data whose type was
    seen; None where there is none."""
    for node in _nodes(file):
        if getattr(node, "lineno", 0) != number:
            continue
        if isinstance(node, ast.Compare) and isinstance(node.ops[-1], ast.In | ast.NotIn):
            kind, size = _held(node.comparators[-1], held)
            if kind in ("list", "tuple", "deque", "array"):
                return (
                    "more-work",
                    f"`in` scans a {kind}{_of(size, 'items')}",
                    "a set or a dict, whose `in` takes the same time for any number of items",
                )
            if kind in ("str", "bytes"):
                return "string-work", f"`in` scans a {kind}{_of(size, 'characters')}", ""
        if isinstance(node, ast.AugAssign | ast.BinOp) and isinstance(node.op, ast.Add):
            operands = (
                (node.target, node.value)
                if isinstance(node, ast.AugAssign)
                else (node.left, node.right)
            )
            kind, size = max((_held(o, held) for o in operands), key=lambda row: row[1])
            if kind in ("str", "bytes", "list", "tuple") and not (
                kind == "list" and isinstance(node, ast.AugAssign)
            ):
                unit = "characters" if kind in ("str", "bytes") else "items"
                join = '"".join() of a list of parts' if kind == "str" else "append in place"
                return "copying", f"`+` copies a {kind}{_of(size, unit)}", join
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            kind, size = _held(node.value, held)
            if kind in ("str", "bytes", "list", "tuple", "bytearray"):
                return "copying", f"a slice copies a {kind}{_of(size, 'items')}", "an index"
        if isinstance(node, ast.Delete) and isinstance(node.targets[0], ast.Subscript):
            kind, size = _held(node.targets[0].value, held)
            if kind == "list":
                return "copying", f"`del` moves the items of a list{_of(size, 'items')}", "a deque"
    return None


def _nodes(file: str) -> Iterator[ast.AST]:
    """Of a file's syntax tree; none of one that cannot be read."""
    try:
        tree = ast.parse(Path(file).read_text(errors="replace"))
    except (OSError, SyntaxError, ValueError):
        return
    yield from ast.walk(tree)


def _held(node: ast.expr, held: Mapping[str, tuple[str, int]]) -> tuple[str, int]:
    """Type and length of a name or ``name.attribute``, as it was seen in the run."""
    if isinstance(node, ast.Name):
        return held.get(node.id, ("", -1))
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return held.get(f"{node.value.id}.{node.attr}", ("", -1))
    return "", -1


def _of(size: int, unit: str) -> str:
    return f" of {size:,} {unit}" if size >= 0 else ""


# ---- Functions of C.


def portions(counted: CountedPython | None, function: PyFunction) -> dict[str, float]:
    """Portions of a function's own time that functions of C take, by the profiler's seconds."""
    if counted is None:
        return {}
    row: Mapping[str, float] = counted.callee_seconds.get(function, Counter())
    total = counted.seconds[function] + sum(row.values())
    return {callee: seconds / total for callee, seconds in row.items()} if total > 0 else {}


_BUILT_IN = re.compile(r"<built-in method (?:builtins\.)?(.+)>$")
_METHOD = re.compile(r"<(?:built-in )?method '(.+)' of '(.+)' objects>$")


def plain_c_name(name: str) -> str:
    """``list.append`` for ``<method 'append' of 'list' objects>``."""
    if method := _METHOD.match(name):
        return f"{method[2]}.{method[1]}"
    return m[1] if (m := _BUILT_IN.match(name)) else name.strip("<>")


#: What functions of C do that grows with the data: the cause and the words.
WORK: Sequence[tuple[re.Pattern[str], str, str]] = tuple(
    (re.compile(pattern), key, words)
    for pattern, key, words in (
        (r"list\.insert$", "copying", "moves all items behind the place"),
        (r"list\.pop$", "copying", "moves all items behind the place"),
        (r"list\.(index|count|remove|__contains__)$", "more-work", "scans the list"),
        (r"list\.(copy|extend)$|^(copy\.copy|tuple)$", "copying", "copies all items"),
        (r"list\.sort$|^sorted$", "more-work", "sorts"),
        (
            r"(str|bytes)\.(find|index|count|replace|split|rfind)$",
            "string-work",
            "scans the string",
        ),
        (r"(str|bytes)\.(join|translate|upper|lower)$", "string-work", "makes a new string"),
        (r"^(re|_sre)\.|re\.Pattern\.", "string-work", "matches a pattern"),
        (r"(_pickle|marshal)\.(dump|load)s?$", "string-work", "turns objects into bytes or back"),
        (r"deque\.(index|count|remove|insert)$", "more-work", "scans the deque"),
        (r"bisect\.insort(_left|_right)?$", "copying", "moves all items behind the place"),
        (r"^(min|max|sum|any|all)$", "more-work", "goes through all items"),
    )
)


def work_of(callee: str) -> tuple[str, str]:
    """The cause that many or large calls of it are, and what it does; no words where that does not
    grow with the data."""
    name = plain_c_name(callee)
    return next(((key, words) for p, key, words in WORK if p.search(name)), ("more-calls", ""))
