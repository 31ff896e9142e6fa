"""What the probe saw of Python programs, with functions named alike on both sides."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from whyfast.measure.runtimes import Document


class PyFunction(NamedTuple):
    """A function on both sides: ``module`` is its file from the folder of imports on, empty for the
    program itself; ``name`` is ``<module>`` for the code outside of functions."""

    module: str
    name: str


@dataclass(frozen=True)
class CodePosition:
    """A function's file, first line and plain name on one side."""

    file: str
    line: int
    name: str


COMPILED, GARBAGE = "", "-"


class PyFrame(NamedTuple):
    """A frame of a stack: a function and a line, or what is imported (``module``; ``COMPILED``: it
    is compiled), or a collection of garbage (``GARBAGE``)."""

    function: PyFunction | None
    line: int
    module: str = ""


#: From the outermost frame inwards.
PyStack = tuple[PyFrame, ...]


@dataclass
class SampledPython:
    """One run: CPU seconds by stack; ``start`` before the program began, ``end`` after it,
    ``children`` in programs that it starts and that are not Python, ``total`` in all. ``modules``
    are those that the program loaded."""

    stacks: Counter[PyStack] = field(default_factory=Counter)
    collections: list[int] = field(default_factory=lambda: [0, 0, 0])
    modules: set[str] = field(default_factory=set)
    start: float = 0.0
    end: float = 0.0
    children: float = 0.0
    total: float = 0.0


@dataclass
class CountedPython:
    """Calls of one run. Callees are functions of Python, or of C by the profiler's words:
    ``<method 'append' of 'list' objects>``. ``seconds`` are the profiler's: without callees."""

    calls: Counter[PyFunction] = field(default_factory=Counter)
    seconds: Counter[PyFunction] = field(default_factory=Counter)
    callees: dict[PyFunction, Counter[PyFunction | str]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    callee_seconds: dict[PyFunction, Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter)
    )

    def callers(self, function: PyFunction) -> set[PyFunction]:
        return {f for f, row in self.callees.items() if function in row}

    def own_seconds(self, function: PyFunction) -> float:
        """With what it calls of C."""
        return self.seconds[function] + sum(self.callee_seconds.get(function, {}).values())


@dataclass
class TracedLine:
    """A line of a function: executions, seconds with callees, bytecodes, what its names held
    (type and length, -1 for none) and exceptions that it raised or passed on."""

    count: int = 0
    seconds: float = 0.0
    bytecodes: tuple[str, ...] = ()
    held: dict[str, tuple[str, int]] = field(default_factory=dict)
    raised: int = 0


@dataclass
class PythonSide:
    """All that is known of one side. ``places`` are of every function seen, ``renamed`` those that
    have the name of the other side's; ``stopped``: lines were traced for a part of the run."""

    version: tuple[int, ...] = ()
    executable: str = ""
    sampled: list[SampledPython] = field(default_factory=list)
    counted: CountedPython | None = None
    lines: dict[PyFunction, dict[int, TracedLine]] = field(default_factory=dict)
    places: dict[PyFunction, CodePosition] = field(default_factory=dict)
    renamed: dict[PyFunction, PyFunction] = field(default_factory=dict)
    stopped: bool = False

    def modules(self) -> set[str]:
        return set().union(*(s.modules for s in self.sampled)) if self.sampled else set()


def _position(file: str, line: int, name: str) -> CodePosition:
    return CodePosition(file if file.startswith("<") else os.path.abspath(file), line, name)


class _Names:
    """The functions of one process by the numbers of its code objects."""

    def __init__(self, document: Document, side: PythonSide) -> None:
        self._side, self._main = side, str(document["main"])
        self._folders = sorted(
            {p for p in (*document["path"], os.path.dirname(self._main)) if p},
            key=len,
            reverse=True,
        )
        self._by_number = {
            int(number): self._function(_position(file, line, name), qualified or name)
            for number, (file, line, name, qualified, *_) in document["codes"].items()
        }

    def _function(self, where: CodePosition, name: str) -> PyFunction:
        function = PyFunction(self._module(where.file), name)
        self._side.places.setdefault(function, where)
        return function

    def _module(self, file: str) -> str:
        if file == self._main:
            return ""
        for folder in self._folders:
            if file.startswith(folder + "/"):
                return file[len(folder) + 1 :]
        return file

    def function(self, number: int) -> PyFunction:
        return self._by_number[int(number)]


def read_sampled(documents: Sequence[Document], cpu: float, side: PythonSide) -> None:
    """Add one run of all its processes, which took ``cpu`` seconds of CPU time."""
    inside = sum(d["ended"] for d in documents)
    # Of the children's time what no probe saw: other programs.
    first = max(documents, key=lambda d: d["ended"] + d["children"])
    children = max(0.0, first["children"] - (inside - first["ended"]))
    run = SampledPython(total=max(cpu, inside + children), children=children)
    run.end = run.total - inside - children
    for document in documents:
        names = _Names(document, side)
        side.version = side.version or tuple(document["version"])
        side.executable = side.executable or str(document["executable"])
        run.start += document["began"]
        run.modules |= set(document["modules"])
        run.collections = [
            a + b for a, b in zip(run.collections, document["collections"], strict=True)
        ]
        for flat, (seconds, _) in document["stacks"]:
            run.stacks[_stack(flat, names)] += seconds
    side.sampled.append(run)


def _stack(flat: Sequence[int | str], names: _Names) -> PyStack:
    frames = []
    for entry, line in zip(flat[::2], flat[1::2], strict=True):
        if isinstance(entry, str):
            frames.append(PyFrame(None, 0, GARBAGE if entry == "-" else entry[1:]))
        else:
            frames.append(PyFrame(names.function(entry), int(line)))
    return tuple(reversed(frames))


#: Functions of C in which a thread waits: the profiler's seconds are then no CPU time.
_WAITS = re.compile(
    r"<(method '(acquire|__enter__)' of '_\w+\.\w*[lL]ock'|method 'poll' of 'select\."
    r"|built-in method (time\.sleep|select\.|posix\.wait)|method '(accept|recv\w*)' of '_socket)"
)


def read_counted(documents: Sequence[Document], side: PythonSide) -> None:
    """What the profiler counted, of all processes."""
    counted = side.counted = CountedPython()
    for document in documents:
        names = _Names(document, side)

        def key(code: int | str, names: _Names = names) -> PyFunction | str:
            return code if isinstance(code, str) else names.function(code)

        for code, calls, seconds, callees in document["functions"]:
            function = key(code)
            if isinstance(function, str):
                continue
            counted.calls[function] += calls
            counted.seconds[function] += seconds
            for callee_code, number, inline in callees:
                callee = key(callee_code)
                counted.callees[function][callee] += number
                if isinstance(callee, str) and not _WAITS.match(callee):
                    counted.callee_seconds[function][callee] += inline


def read_lines(documents: Sequence[Document], side: PythonSide) -> None:
    """Lines of the functions that were traced, of all processes."""
    for document in documents:
        names = _Names(document, side)
        side.stopped |= document["stopped"]
        for code, number, count, seconds, held, raised in document["lines"]:
            function = names.function(code)
            rows = side.lines.setdefault(side.renamed.get(function, function), {})
            line = rows.setdefault(number, TracedLine())
            line.count += count
            line.seconds += seconds
            line.raised += raised
            line.bytecodes = tuple(document["bytecodes"].get(str(code), {}).get(str(number), ()))
            line.held.update({n: (t, size) for n, (t, size) in held.items()})


def same_names(fast: PythonSide, slow: PythonSide) -> None:
    """Give functions of the fast side the names of those that take their place on the slow one.

    A function that one side alone has takes the place of one that the other alone has if both are
    called as often (within 5 %) from the same functions.
    """
    if fast.counted is None or slow.counted is None:
        return
    renamed: dict[PyFunction, PyFunction] = {}
    for _ in range(3):  # callers first, then what they call
        only_fast = _only(fast.counted, slow.counted, renamed)
        only_slow = [f for f in _only(slow.counted, fast.counted, {}) if f not in renamed.values()]
        for theirs in only_slow:
            for mine in only_fast:
                if mine not in renamed and _stands_for(mine, theirs, fast, slow, renamed):
                    renamed[mine] = theirs
                    break
    if renamed:
        fast.renamed.update(renamed)
        _rename(fast, renamed)


def _only(
    counted: CountedPython, other: CountedPython, renamed: Mapping[PyFunction, PyFunction]
) -> list[PyFunction]:
    return [f for f in counted.calls if f not in other.calls and f not in renamed]


def _stands_for(
    mine: PyFunction,
    theirs: PyFunction,
    fast: PythonSide,
    slow: PythonSide,
    renamed: Mapping[PyFunction, PyFunction],
) -> bool:
    assert fast.counted is not None
    assert slow.counted is not None
    a, b = fast.counted.calls[mine], slow.counted.calls[theirs]
    if abs(a - b) > 0.05 * max(a, b) or mine.name.startswith("<") != theirs.name.startswith("<"):
        return False
    callers = {renamed.get(f, f) for f in fast.counted.callers(mine)} - {theirs, mine}
    return bool(callers & (slow.counted.callers(theirs) - {theirs}))


def _rename(side: PythonSide, renamed: Mapping[PyFunction, PyFunction]) -> None:
    def new(f: PyFunction) -> PyFunction:
        return renamed.get(f, f)

    for run in side.sampled:
        run.stacks = _summed(
            (
                tuple(
                    PyFrame(new(f.function) if f.function else None, f.line, f.module) for f in s
                ),
                t,
            )
            for s, t in run.stacks.items()
        )
    counted = side.counted
    assert counted is not None
    counted.calls = _summed((new(f), n) for f, n in counted.calls.items())
    counted.seconds = _summed((new(f), n) for f, n in counted.seconds.items())
    counted.callees = {
        new(f): _summed((c if isinstance(c, str) else new(c), n) for c, n in row.items())
        for f, row in counted.callees.items()
    }
    counted.callee_seconds = {new(f): row for f, row in counted.callee_seconds.items()}
    side.places = {new(f): where for f, where in side.places.items()}


def _summed(rows: Iterable[tuple[Any, float]]) -> Counter[Any]:
    total: Counter[Any] = Counter()
    for key, number in rows:
        total[key] += number  # type: ignore[assignment]
    return total
