"""CPython: imports, garbage collection, calls, operators and bytecodes.

Time is measured by samples inside the running program, at nearly its own speed. Calls are counted
in a run of its own under cProfile's profiler, lines in a third one that traces only the functions
in question; their times are used as proportions within one function and for nothing else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from whyfast.measure.process import CannotCount
from whyfast.measure.runtimes import RuntimeRuns, longest, probe_python
from whyfast.model.why import Cause, Change, Fact, SourcePlace
from whyfast.why.functions import FunctionKey
from whyfast.why.runtimes.protocol import LEAST, Findings, RuntimeProgram, Sides
from whyfast.why.runtimes.python_reasons import Reason, line_reason, plain_c_name, portions, work_of
from whyfast.why.runtimes.python_runs import (
    COMPILED,
    GARBAGE,
    PyFrame,
    PyFunction,
    PyStack,
    PythonSide,
    read_counted,
    read_lines,
    read_sampled,
    same_names,
)
from whyfast.why.split import change_of

#: How many times as often a function must be called to be called *more often*, and how often where
#: the other side never calls it.
MORE, OFTEN = 1.5, 50

#: How many times longer a run may take under the profiler and with lines traced.
PROFILED, TRACED = 15.0, 60.0

#: How many times as long the interpreter must take to start: it is measured in milliseconds.
SLOW_START = 1.2

#: How many times as much more time a neighbour must take for a function's samples to be its own.
CLEARLY = 5.0

#: Share of a function's difference that a callee of C must carry to be its reason.
CARRIES = 0.5

_PYTHON = re.compile(r"python(\d(\.\d+)?)?t?d?$")

#: Where CPython's machine code is, besides in the program itself.
_LIBRARIES = re.compile(r"^(libpython|libc[.-]|libm[.-]|ld-|libpthread|\[)|\.cpython-|^_\w+\.so")


class CPython:
    """The interpreter of which sites and probes are known."""

    name = "Python"

    def claims(self, program: RuntimeProgram) -> bool:
        return _PYTHON.match(program.name) is not None

    def explain(self, sides: Sides) -> Findings:
        """Sample, count, and trace the functions that neither explains."""
        fast, slow = PythonSide(), PythonSide()
        by_name = {"fast": fast, "slow": slow}
        sides.runs.note("asking Python where its time goes")
        for name in sides.runs.order(sides.runs.rounds):
            read_sampled(*probe_python(longest(sides.runs, 10), name, "sample"), by_name[name])
        limits = []
        sides.runs.note("counting calls of Python functions")
        try:
            for name, side in by_name.items():
                documents, _ = probe_python(longest(sides.runs, PROFILED), name, "count")
                read_counted(documents, side)
            same_names(fast, slow)
        except CannotCount as error:
            fast.counted = slow.counted = None
            limits.append(f"calls of Python functions were not counted: {error}")
        account = PythonAccount(sides, fast, slow)
        traced = account.unexplained()
        if traced:
            sides.runs.note("tracing lines of Python")
            try:
                for name, side in by_name.items():
                    _trace(sides.runs, name, side, traced)
            except CannotCount as error:
                fast.lines, slow.lines = {}, {}
                limits.append(f"lines of Python were not traced: {error}")
        if fast.executable != slow.executable:
            versions = (".".join(map(str, s.version)) for s in (fast, slow))
            limits.append("the sides run different Pythons: {} and {}".format(*versions))
        causes = tuple(account.causes())
        return Findings(causes, _of_python, tuple(limits))


def _of_python(key: FunctionKey) -> bool:
    """Whether machine code is the interpreter's, or of what it works with."""
    return not key.library or _LIBRARIES.search(key.library) is not None


def _trace(runs: RuntimeRuns, name: str, side: PythonSide, functions: Sequence[PyFunction]) -> None:
    places = [side.places[f] for f in functions if f in side.places]
    targets = [(p.file, str(p.line), p.name) for p in places]
    if targets:
        read_lines(probe_python(longest(runs, TRACED), name, "lines", targets)[0], side)


#: What a part of the time is put down to: a kind (``import``, ``compile``, ``calls``, ``self``),
#: and what of it.
TimePart = tuple[str, object]


class PythonAccount:
    """Both sides' samples, divided by what would be their reason."""

    def __init__(self, sides: Sides, fast: PythonSide, slow: PythonSide) -> None:
        self._sides, self.fast, self.slow = sides, fast, slow
        self._new = slow.modules() - fast.modules(), fast.modules() - slow.modules()
        self._importers: dict[str, PyFrame] = {}
        self._above: dict[PyFunction, Counter[PyFunction]] = {}
        self._rows = {"fast": self._divided("fast", fast), "slow": self._divided("slow", slow)}
        names = {p for runs in self._rows.values() for row in runs for p in row}
        self.parts = {part: self._change([part]) for part in names}

    def unexplained(self) -> list[PyFunction]:
        """Functions whose own time differs without calls that explain it."""
        return [
            culprit
            for f, change in self._own()
            if self._callee_reason(culprit := self._culprit(f), change) is None
        ][:4]

    def _culprit(self, function: PyFunction) -> PyFunction:
        """The function that most of a sampled function's time is of.

        Python looks for signals only at some bytecodes, so that a long operation at the end of a
        function is seen in what calls it, or in what is called next: among those the profiler's
        times decide.
        """
        fast, slow = self.fast.counted, self.slow.counted
        if fast is None or slow is None:
            return function
        near = self._near(function) | {function}
        more = {f: slow.own_seconds(f) - fast.own_seconds(f) for f in near}
        first = max(more, key=lambda f: more[f])
        return first if more[first] > CLEARLY * max(0.0, more[function]) else function

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

    def _own(self) -> Iterator[tuple[PyFunction, Change]]:
        """Functions with the difference of their own time; what is missing in a neighbour has only
        been seen elsewhere."""
        for function, change in self._of("self"):
            assert isinstance(function, PyFunction)
            less = [("self", f) for f in self._near(function) if self._difference(f) < 0]
            change = self._change([("self", function), *less]) if less else change
            if self._matters(change):
                yield function, change

    def _difference(self, function: PyFunction) -> float:
        part = self.parts.get(("self", function))
        return part.difference if part else 0.0

    def causes(self) -> Iterator[Cause]:
        yield from self._start()
        yield from self._imports()
        yield from self._garbage()
        yield from self._calls()
        for sampled, change in self._own():
            function = self._culprit(sampled)
            reason = self._callee_reason(function, change)
            reason = reason or self._line_reason(function, change.difference)
            if reason is not None:
                place = self._place(function)
                line = reason.line or place.line
                yield self._sides.cause(
                    reason.key, reason.sentence, change, reason.basis,
                    SourcePlace(place.function, place.file, line), facts=reason.facts,
                    remedy=reason.remedy,
                )  # fmt: skip

    # What the time is put down to

    def _divided(self, name: str, side: PythonSide) -> list[Counter[TimePart]]:
        """Seconds by part of each run, scaled to the timed runs."""
        mean = sum(r.total for r in side.sampled) / max(1, len(side.sampled))
        factor = self._sides.cpu[name] / mean if mean > 0 else 1.0
        rows = []
        for run in side.sampled:
            row: dict[TimePart, float] = {("start", ""): run.start, ("end", ""): run.end}
            for stack, seconds in run.stacks.items():
                part = self._part(stack, name)
                row[part] = row.get(part, 0.0) + seconds
            rows.append(Counter({part: s * factor for part, s in row.items()}))
        return rows

    def _change(self, parts: Sequence[TimePart]) -> Change:
        """The change of the sum of some parts over the runs."""
        fast, slow = (
            [sum(row[p] for p in parts) for row in self._rows[s]] for s in ("fast", "slow")
        )
        return change_of(fast, slow)

    def _part(self, stack: PyStack, side: str) -> TimePart:
        new = self._new[side == "fast"]
        for n, frame in enumerate(stack):
            if frame.module in new and frame.function is None:
                importer = next((f for f in reversed(stack[:n]) if f.function), None)
                if importer is not None and side == "slow":
                    self._importers.setdefault(frame.module, importer)
                return "import", frame.module
        if any(f.function is None and f.module == COMPILED for f in stack):
            return "compile", ""
        functions = [f.function for f in stack if f.function is not None]
        if stack and stack[-1].function is None and stack[-1].module == GARBAGE:
            return "gc", functions[-1] if functions else PyFunction("", "<module>")
        for n, function in enumerate(functions):
            if self._more_often(function):
                if side == "slow":
                    above = self._above.setdefault(function, Counter())
                    if n:
                        above[functions[n - 1]] += 1
                return "calls", function
        return ("self", functions[-1]) if functions else ("other", "")

    def _more_often(self, function: PyFunction) -> bool:
        numbers = self._numbers(function)
        return numbers is not None and _more(*numbers)

    def _numbers(self, function: PyFunction) -> tuple[int, int] | None:
        if self.fast.counted is None or self.slow.counted is None:
            return None
        return self.fast.counted.calls[function], self.slow.counted.calls[function]

    def _of(self, kind: str) -> list[tuple[object, Change]]:
        """What of a kind the slow side spends more time in, the most first."""
        rows = [
            (what, change)
            for (k, what), change in self.parts.items()
            if k == kind and self._matters(change)
        ]
        return sorted(rows, key=lambda row: -row[1].difference)

    def _matters(self, change: Change) -> bool:
        return self._sides.share(change.difference) >= LEAST and change.low > 0

    # Reasons

    def _start(self) -> Iterator[Cause]:
        for _, change in self._of("start"):
            if change.slow < SLOW_START * change.fast:
                continue
            yield self._sides.cause(
                "start-up",
                "its interpreter starts more slowly, before the program is read: "
                f"{_ms(change.slow)} (`{self._sides.quoted}`: {_ms(change.fast)})",
                change,
                "measured",
            )

    def _imports(self) -> Iterator[Cause]:
        rows = {str(w): c for (k, w), c in self.parts.items() if k == "import"}
        change = self._change([("import", m) for m in rows])
        if self._imports_more:
            fast, slow = (
                sum(len(s.modules) for s in side.sampled) / max(1, len(side.sampled))
                for side in (self.fast, self.slow)
            )
            first = max(rows, key=lambda m: rows[m].difference)
            frame = self._importers.get(first)
            where = self._line_of(frame)
            part = rows[first].difference / change.difference
            change = self._change([("end", ""), *(("import", m) for m in rows)])
            yield self._sides.cause(
                "imports",
                f"it imports {_number(len(self._new[0]))} modules that `{self._sides.quoted}` does "
                f"not: `{first}`{f' from {where}' if where else ''} takes {100 * part:.0f} % of "
                "the loading",
                change,
                "measured",
                self._place(frame.function, frame.line)
                if frame and frame.function
                else SourcePlace(),
                facts=(Fact("imported modules", fast, slow, "", "counted", "sys.modules"),),
                remedy="import them where they are used",
            )
        for _, change in self._of("compile"):
            yield self._sides.cause(
                "imports",
                "it compiles its modules at every start: none are kept in __pycache__",
                change,
                "measured",
                remedy="make __pycache__ writable, unset PYTHONDONTWRITEBYTECODE",
            )

    def _garbage(self) -> Iterator[Cause]:
        rows = {w: c for (k, w), c in self.parts.items() if k == "gc"}
        change = self._change([("gc", f) for f in rows])
        if not rows or not self._matters(change) or change.slow < MORE * change.fast:
            yield from self._end()
            return
        fast, slow = (
            sum(sum(s.collections) for s in side.sampled) / max(1, len(side.sampled))
            for side in (self.fast, self.slow)
        )
        function = max(rows, key=lambda f: rows[f].difference)
        assert isinstance(function, PyFunction)
        yield self._sides.cause(
            "garbage-collection",
            f"it collects garbage for {_ms(change.slow)} (`{self._sides.quoted}`: "
            f"{_ms(change.fast)}), in {_number(slow)} collections ({_number(fast)}), most of it "
            f"in {self._named(function)}",
            change,
            "measured",
            self._place(function),
            facts=(Fact("collections of garbage", fast, slow, "", "counted", "gc.callbacks"),),
            remedy="make fewer objects that refer to one another, gc.freeze(), or a higher "
            "gc.set_threshold()",
        )

        yield from self._end()

    @property
    def _imports_more(self) -> bool:
        parts = [p for p in self.parts if p[0] == "import"]
        return bool(parts) and self._matters(self._change(parts))

    def _end(self) -> Iterator[Cause]:
        if self._imports_more:  # which are freed then
            return
        for _, change in self._of("end"):
            if change.slow < MORE * change.fast:  # the same objects take about as long
                continue
            yield self._sides.cause(
                "garbage-collection",
                f"it frees its objects at its end for {_ms(change.slow)} "
                f"(`{self._sides.quoted}`: {_ms(change.fast)})",
                change,
                "measured",
            )

    def _calls(self) -> Iterator[Cause]:
        for function, change in self._of("calls"):
            assert isinstance(function, PyFunction)
            numbers = self._numbers(function)
            assert numbers is not None
            above = self._above.get(function, Counter()).most_common(1)
            caller = above[0][0] if above else None
            # What the caller no longer does itself.
            less = self.parts.get(("self", caller))
            if less is not None and less.high < 0:
                change = self._change([("calls", function), ("self", caller)])
                if not self._matters(change):
                    continue
            from_where = f", from {self._named(caller)}" if caller and caller != function else ""
            yield self._sides.cause(
                "more-calls",
                f"{self._named(function)} is called {self._times(*numbers)}{from_where}",
                change,
                "counted",
                self._place(function),
                facts=(_calls_fact(function.name, *numbers),),
            )

    def _callee_reason(self, function: PyFunction, change: Change) -> Reason | None:
        """A function of C that carries most of a function's difference, by the profiler's
        proportions."""
        best, carried = "", 0.0
        fast, slow = (portions(s.counted, function) for s in (self.fast, self.slow))
        for callee in slow:
            more = slow[callee] * change.slow - fast.get(callee, 0.0) * change.fast
            if more > carried:
                best, carried = callee, more
        if not best or carried < CARRIES * change.difference:
            return None
        assert self.fast.counted is not None
        assert self.slow.counted is not None
        numbers = (
            int(self.fast.counted.callees.get(function, Counter())[best]),
            int(self.slow.counted.callees.get(function, Counter())[best]),
        )
        key, what = work_of(best)
        more = _more(*numbers)
        if not more and not what:
            return None  # as many calls that take longer: what they do is not known
        text = (
            f"`{plain_c_name(best)}` is called {self._times(*numbers)} in {self._named(function)}"
        )
        if not more:
            text = f"`{plain_c_name(best)}` takes longer in {self._named(function)}"
        return Reason(
            key if what else "more-calls",
            text + (f" and {what}" if what else ""),
            "counted",
            facts=(_calls_fact(plain_c_name(best), *numbers),),
        )

    def _line_reason(self, function: PyFunction, seconds: float) -> Reason | None:
        fast, slow = (s.lines.get(function) for s in (self.fast, self.slow))
        if not fast or not slow:
            return None
        where = self.slow.places[function]
        stopped = self.fast.stopped, self.slow.stopped
        reason = line_reason(
            fast,
            slow,
            stopped,
            seconds,
            self._named(function),
            where.file,
            self._sides.quoted,
        )
        # Bytecodes of two versions of Python cannot be compared.
        same = self.fast.version[:2] == self.slow.version[:2]
        counted = reason is not None and reason.key in ("interpreter", "allocation")
        return None if counted and not same else reason

    # Words

    def _named(self, function: PyFunction) -> str:
        place = self._place(function)
        module = function.module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        if not module or module.startswith((".", "<")) or function.name == "<module>":
            return f"`{function.name}` ({place.file}:{place.line})"
        return f"`{module}.{function.name}` ({function.module}:{place.line})"

    def _line_of(self, frame: PyFrame | None) -> str:
        if frame is None or frame.function is None:
            return ""
        return f"{self._place(frame.function).file}:{frame.line}"

    def _place(self, function: PyFunction, line: int = 0) -> SourcePlace:
        where = self.slow.places.get(function) or self.fast.places[function]
        return SourcePlace(function.name, where.file.rsplit("/", 1)[-1], line or where.line)

    def _times(self, fast: int, slow: int) -> str:
        other = _number(fast) if fast else "never"
        times = "once" if slow == 1 else f"{_number(slow)} times"
        return f"{times} (`{self._sides.quoted}`: {other})"


def _more(fast: int, slow: int) -> bool:
    return slow >= MORE * fast if fast else slow >= OFTEN


def _calls_fact(name: str, fast: int, slow: int) -> Fact:
    return Fact(f"calls of {name}", fast, slow, "", "counted", "cProfile")


def _number(number: float) -> str:
    return f"{number:,.0f}"


def _ms(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 0.9995 else f"{1000 * seconds:.3g} ms"
