"""Where Python's time goes: the samples of both sides, divided by what would be their reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from whyfast.model.why import Change
from whyfast.why.runtimes.protocol import LEAST, Sides
from whyfast.why.runtimes.python_runs import (
    COMPILED,
    GARBAGE,
    PyFrame,
    PyFunction,
    PyStack,
    PythonSide,
)
from whyfast.why.split import change_of

#: How many times as often a function must be called to be called *more often*, and how often where
#: the other side never calls it.
MORE, OFTEN = 1.5, 50

#: How many times as much more time a neighbour must take for a function's samples to be its own.
CLEARLY = 5.0

#: What a part of the time is put down to: a kind (``import``, ``compile``, ``calls``, ``self``),
#: and what of it.
TimePart = tuple[str, object]


class PythonTimes:
    """The seconds of both sides, by what would be their reason.

    ``parts`` has the change of each. ``new`` are the modules that only the slow side imports and
    those that only the fast one does, ``importers`` where the slow side imports each first, and
    ``above`` the callers of functions that it calls more often.
    """

    def __init__(self, sides: Sides, fast: PythonSide, slow: PythonSide) -> None:
        self._sides, self.fast, self.slow = sides, fast, slow
        self.new = slow.modules() - fast.modules(), fast.modules() - slow.modules()
        self.importers: dict[str, PyFrame] = {}
        self.above: dict[PyFunction, Counter[PyFunction]] = {}
        self._rows = {"fast": self._divided("fast", fast), "slow": self._divided("slow", slow)}
        names = {p for runs in self._rows.values() for row in runs for p in row}
        self.parts = {part: self.change([part]) for part in names}

    def _divided(self, name: str, side: PythonSide) -> list[Counter[TimePart]]:
        """Seconds by part of each run, scaled to the timed runs."""
        mean = sum(r.total for r in side.sampled) / max(1, len(side.sampled))
        factor = self._sides.cpu[name] / mean if mean > 0 else 1.0
        rows = []
        for run in side.sampled:
            row: dict[TimePart, float] = {
                ("start", ""): run.start,
                ("end", ""): run.end,
                ("children", ""): run.children,
            }
            for stack, seconds in run.stacks.items():
                part = self._part(stack, name)
                row[part] = row.get(part, 0.0) + seconds
            rows.append(Counter({part: s * factor for part, s in row.items()}))
        return rows

    def change(self, parts: Sequence[TimePart]) -> Change:
        """The change of the sum of some parts over the runs."""
        fast, slow = (
            [sum(row[p] for p in parts) for row in self._rows[s]] for s in ("fast", "slow")
        )
        return change_of(fast, slow)

    def _part(self, stack: PyStack, side: str) -> TimePart:
        new = self.new[side == "fast"]
        for n, frame in enumerate(stack):
            if frame.module in new and frame.function is None:
                importer = next((f for f in reversed(stack[:n]) if f.function), None)
                if importer is not None and side == "slow":
                    self.importers.setdefault(frame.module, importer)
                return "import", frame.module
        if any(f.function is None and f.module == COMPILED for f in stack):
            return "compile", ""
        functions = [f.function for f in stack if f.function is not None]
        if stack and stack[-1].function is None and stack[-1].module == GARBAGE:
            return "gc", functions[-1] if functions else PyFunction("", "<module>")
        for n, function in enumerate(functions):
            if self._more_often(function):
                if side == "slow":
                    above = self.above.setdefault(function, Counter())
                    if n:
                        above[functions[n - 1]] += 1
                return "calls", function
        return ("self", functions[-1]) if functions else ("other", "")

    def _more_often(self, function: PyFunction) -> bool:
        numbers = self.numbers(function)
        return numbers is not None and more_often(*numbers)

    def numbers(self, function: PyFunction) -> tuple[int, int] | None:
        """How often each side calls it; None where calls were not counted."""
        if self.fast.counted is None or self.slow.counted is None:
            return None
        return self.fast.counted.calls[function], self.slow.counted.calls[function]

    def of(self, kind: str) -> list[tuple[object, Change]]:
        """What of a kind the slow side spends more time in, the most first."""
        rows = [
            (what, change)
            for (k, what), change in self.parts.items()
            if k == kind and self.matters(change)
        ]
        return sorted(rows, key=lambda row: -row[1].difference)

    def matters(self, change: Change) -> bool:
        """Whether the slow side surely takes more, and enough to be named."""
        return self._sides.share(change.difference) >= LEAST and change.low > 0

    def culprit(self, function: PyFunction) -> PyFunction:
        """The function that most of a sampled function's time is of.

        Python looks for signals only at some bytecodes, so that a long operation at the end of a
        function is seen in what calls it, or in what is called next: among those the profiler's
        times decide, where they are of the same size as the samples.
        """
        fast, slow = self.fast.counted, self.slow.counted
        if fast is None or slow is None:
            return function
        near = self._near(function) | {function}
        more = {f: slow.own_seconds(f) - fast.own_seconds(f) for f in near}
        first = max(more, key=lambda f: more[f])
        part = self.parts.get(("self", function))
        clear = more[first] > CLEARLY * max(0.0, more[function])
        return first if part and clear and more[first] > part.difference / 2 else function

    def _near(self, function: PyFunction) -> set[PyFunction]:
        """Its callers, and what those and it call."""
        if self.slow.counted is None:
            return set()
        callers = self.slow.counted.callers(function)
        callees = {
            c
            for f in (function, *callers)
            for c in self.slow.counted.callees.get(f, ())
            if isinstance(c, PyFunction)
        }
        return (callers | callees) - {function}

    def own(self) -> Iterator[tuple[PyFunction, Change]]:
        """Functions with the difference of their own time; what is missing in a neighbour has only
        been seen elsewhere."""
        for function, change in self.of("self"):
            assert isinstance(function, PyFunction)
            less = [("self", f) for f in self._near(function) if self._difference(f) < 0]
            change = self.change([("self", function), *less]) if less else change
            if self.matters(change):
                yield function, change

    def _difference(self, function: PyFunction) -> float:
        part = self.parts.get(("self", function))
        return part.difference if part else 0.0


def more_often(fast: int, slow: int) -> bool:
    """Whether so many calls of the slow side are more than those of the fast one."""
    return slow >= MORE * fast if fast else slow >= OFTEN
