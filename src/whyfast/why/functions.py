"""User time by function, from sampled runs of both sides."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from whyfast.explain.executed import LoadedCode, LoadedFiles
from whyfast.explain.functions import base_name
from whyfast.explain.objects import readable, short_name
from whyfast.formats.profiles import Stack, StackFrame
from whyfast.measure.perf import SampledRun
from whyfast.model.why import Change, Frame
from whyfast.why.split import change_of


class FunctionKey(NamedTuple):
    """A function on both sides: ``library`` is empty for the program itself."""

    library: str
    name: str


@dataclass(frozen=True)
class FunctionTime:
    """Self time of one function. ``places`` are seconds by file and place in the file on each side,
    ``symbols`` the names that its code has there."""

    key: FunctionKey
    time: Change
    places: Mapping[str, Mapping[str, Mapping[int, float]]] = field(default_factory=dict)
    symbols: frozenset[str] = frozenset()


#: What glibc appends to the variants of one function, of which it chooses by the processor.
_VARIANT = re.compile(
    r"_(avx|avx2|avx512|evex|evex512|sse2|sse3|ssse3|sse42|sse4_1|erms|unaligned|rtm|fma|fma4|"
    r"generic|vex|no_vzeroupper|bwd|back|power\w*|asimd|sve)(?=_|$)"
)
#: Of a library's own names for what it exports: ``__GI___libc_free``, ``_IO_fprintf``.
_PREFIX = re.compile(r"^(__+(GI_+)?)?(libc_(?!start|call))?(_?IO_)?")
#: The same of functions that glibc chooses by the processor, whose names it does not export.
_ALIASES = {"memcpy": "memmove", "bcmp": "memcmp"}
_VERSION = re.compile(r"@@?[\w.]+$")
_RECURSION = re.compile(r"'\d+$")
_LIBC = re.compile(r"^(libc|ld-linux|ld-musl|libm|libpthread)\b")


class Names:
    """Gives functions of both sides one name: that of the source, of libraries without variants.

    Files that both sides load under one path are libraries; a path of one side alone is its
    program, or a library of its own that the other side has in another folder.
    """

    def __init__(
        self, objects: Mapping[str, Iterable[str]], files: LoadedFiles | None = None
    ) -> None:
        sides = [set(paths) for paths in objects.values()]
        self._shared = set.intersection(*sides) if sides else set()
        self._names: dict[tuple[str, str], FunctionKey] = {}
        self._files = files or LoadedFiles()
        self._texts: dict[str, str] = {}
        self._libc: dict[str, dict[str, tuple[str, ...]]] = {}

    def learn(self, symbols: Iterable[str]) -> None:
        """Demangle many symbols at once: another program does it, which takes longer to start."""
        names = {_bare(s) for s in symbols} - self._texts.keys()
        self._texts |= {name: name for name in names} | readable(names)

    def key_of(self, frame: StackFrame) -> FunctionKey:
        """The function of a sampled place, by the extents of functions where its symbol is missing,
        or ends before the place."""
        code = self._files.get(frame.object)
        name = frame.name
        if code is not None:
            pieces = code.by_name.get(name, ())
            if not name or (pieces and all(frame.offset >= f.size > 0 for f in pieces)):
                address = code.address_of(frame.place)
                name = (code.name_at(address) if address is not None else "") or name
        return self.key(frame.object, name or "?")

    def nameless(self, path: str) -> LoadedCode | None:
        """The file, if most of its functions have no symbol."""
        code = self._files.get(path)
        if code is None:
            return None
        without = sum(f.name.startswith("0x") for f in code.program.functions)
        return code if without > len(code.program.functions) / 2 else None

    def key(self, path: str, symbol: str) -> FunctionKey:
        known = self._names.get((path, symbol))
        if known is None:
            library = self.library(path)
            names = {plain_name(n, library, self._texts) for n in self._aliases(path, symbol)}
            known = FunctionKey(library, min(names, key=lambda n: (len(n), n)))
            self._names[path, symbol] = known
        return known

    def _aliases(self, path: str, symbol: str) -> Iterable[str]:
        """The symbol, with all others of the same code in libc, of which each profiler chooses one:
        ``lseek``, ``lseek64``, ``llseek``."""
        if not _LIBC.match(os.path.basename(path)):
            return [symbol]
        if path not in self._libc:
            code = self._files.get(path)
            functions = code.program.functions if code is not None else ()
            self._libc[path] = {_bare(n): f.names for f in functions for n in f.names}
        return [symbol, *self._libc[path].get(_bare(symbol), ())]

    def library(self, path: str) -> str:
        """The file name of a library; empty for the program of one side."""
        name = os.path.basename(path)
        return name if path in self._shared or ".so" in name or path.startswith("[") else ""


def plain_name(symbol: str, library: str = "", texts: Mapping[str, str] | None = None) -> str:
    """The name in the source: demangled, without clones' suffixes and symbol versions. ``texts``
    has symbols that are demangled already."""
    name = _bare(symbol)
    text = (texts or {}).get(name) or readable([name]).get(name, name)
    name = short_name(base_name(text))
    if _LIBC.match(library):
        name = _PREFIX.sub("", _VARIANT.sub("", name))
        name = _ALIASES.get(name, name)
    return name.removeprefix("__vdso_") if library.startswith("[vdso") else name


def _bare(symbol: str) -> str:
    return _RECURSION.sub("", _VERSION.sub("", symbol))


def function_times(
    runs: Sequence[SampledRun],
    fast: str,
    slow: str,
    user: Change,
    files: LoadedFiles | None = None,
) -> tuple[list[FunctionTime], float, Names]:
    """(functions with the largest differences first, the slowdown of sampled runs, names).

    ``user`` is the user time of the timed runs, to which both sides' samples are scaled, so that
    functions add up to it. The slowdown is the sampled over the timed user time of both sides.
    """
    by_side = {side: [r for r in runs if r.side == side] for side in (fast, slow)}
    names = Names(
        {
            side: {f.object for r in rs for s in r.stacks for f in s[:1]}
            for side, rs in by_side.items()
        },
        files,
    )
    names.learn(f.name for r in runs for s in r.stacks for f in s)
    sampled = {
        side: sum(r.seconds for r in rs) / len(rs) if rs else 0.0 for side, rs in by_side.items()
    }
    timed = {fast: user.fast, slow: user.slow}
    factors = {
        side: timed[side] / sampled[side] if sampled[side] and timed[side] > 0 else 1.0
        for side in by_side
    }
    totals = {side: [_self_times(r, names) for r in rs] for side, rs in by_side.items()}
    keys = {key for rows in totals.values() for row in rows for key in row}
    places, symbols = _places(by_side, names, factors)
    functions = []
    for key in keys:
        values = {s: [row.get(key, 0.0) * factors[s] for row in rows] for s, rows in totals.items()}
        functions.append(
            FunctionTime(
                key,
                _mean_change(values[fast], values[slow]),
                {side: places[side].get(key, {}) for side in by_side},
                frozenset(symbols[key]),
            )
        )
    functions.sort(key=lambda f: -abs(f.time.difference))
    both = sum(timed.values())
    return functions, (sum(sampled.values()) / both if both > 0 else 1.0), names


def _mean_change(fast: Sequence[float], slow: Sequence[float]) -> Change:
    """Means add up over functions where medians do not."""
    change = change_of(fast, slow)
    a, b = sum(fast) / max(1, len(fast)), sum(slow) / max(1, len(slow))
    return Change(a, b, change.low, change.high)


def _self_times(run: SampledRun, names: Names) -> dict[FunctionKey, float]:
    times: defaultdict[FunctionKey, float] = defaultdict(float)
    for stack, seconds in run.stacks.items():
        times[names.key_of(stack[0])] += seconds
    return times


Places = dict[str, dict[FunctionKey, dict[str, dict[int, float]]]]


def _places(
    by_side: Mapping[str, Sequence[SampledRun]], names: Names, factors: Mapping[str, float]
) -> tuple[Places, dict[FunctionKey, set[str]]]:
    """Seconds a run by side, function, file and place; and the symbols of each function."""
    places: Places = {}
    symbols: defaultdict[FunctionKey, set[str]] = defaultdict(set)
    for side, runs in by_side.items():
        mine = places.setdefault(side, {})
        for run in runs:
            for stack, seconds in run.stacks.items():
                leaf = stack[0]
                key = names.key_of(leaf)
                symbols[key].add(leaf.name)
                rows = mine.setdefault(key, {}).setdefault(leaf.object, {})
                rows[leaf.place] = rows.get(leaf.place, 0.0) + seconds * factors[side] / len(runs)
    return places, symbols


def callers(
    runs: Sequence[SampledRun], side: str, names: Names
) -> dict[FunctionKey, list[tuple[FunctionKey, ...]]]:
    """For each function the stacks above it on one side, the one with most seconds first, from
    unwound stacks."""
    above: defaultdict[FunctionKey, defaultdict[tuple[FunctionKey, ...], float]]
    above = defaultdict(lambda: defaultdict(float))
    for run in runs:
        if run.side == side:
            for stack, seconds in run.stacks.items():
                keys = keys_of(stack, names)
                above[keys[0]][keys[1:]] += seconds
    return {key: sorted(chains, key=lambda c: -chains[c]) for key, chains in above.items()}


def keys_of(stack: Stack, names: Names) -> tuple[FunctionKey, ...]:
    """The functions of a stack from the innermost outwards, without frames that have no name."""
    keys = [names.key_of(f) for f in stack if f.name or f.object != "[unknown]"]
    return tuple(keys) or (FunctionKey("", "?"),)


#: Share of all time below which a subtree is left out of the call tree.
LEAST = 0.005


def call_tree(runs: Sequence[SampledRun], fast: str, slow: str, names: Names) -> Frame | None:
    """Both sides' unwound stacks as one tree from the outermost function inwards, in seconds a
    run."""
    root: _Node = _Node()
    for side in (fast, slow):
        mine = [r for r in runs if r.side == side]
        for run in mine:
            for stack, seconds in run.stacks.items():
                path = [k.name for k in reversed(keys_of(stack, names))]
                # What stands above main is not always unwound.
                root.add(
                    path[path.index("main") if "main" in path else 0 :], side, seconds / len(mine)
                )
    total = max(root.seconds.values(), default=0.0)
    return root.frame("all", fast, slow, LEAST * total) if total else None


class _Node:
    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.children: dict[str, _Node] = {}

    def add(self, path: Sequence[str], side: str, seconds: float) -> None:
        node = self
        node.seconds[side] += seconds
        for name in path:
            node = node.children.setdefault(name, _Node())
            node.seconds[side] += seconds

    def frame(self, name: str, fast: str, slow: str, least: float) -> Frame:
        children = [
            node.frame(child, fast, slow, least)
            for child, node in self.children.items()
            if max(node.seconds.values()) >= least
        ]
        children.sort(key=lambda f: -max(f.fast, f.slow))
        return Frame(name, self.seconds[fast], self.seconds[slow], tuple(children))


def total_change(functions: Iterable[FunctionTime]) -> Change:
    """The sum of some functions; variances of independent differences add up."""
    times = [f.time for f in functions]
    fast, slow = sum(t.fast for t in times), sum(t.slow for t in times)
    half = sum(((t.high - t.low) / 2) ** 2 for t in times) ** 0.5
    return Change(fast, slow, slow - fast - half, slow - fast + half)
