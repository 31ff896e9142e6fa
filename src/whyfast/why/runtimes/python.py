"""CPython: imports, garbage collection, calls, operators and bytecodes.

Time is measured by samples inside the running program, at nearly its own speed. Calls are counted
in a run of its own under cProfile's profiler, lines in a third one that traces only the functions
in question; their times are used as proportions within one function and for nothing else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from whyfast.measure.runtimes import RuntimeRuns, longest, probe_python
from whyfast.measure.tools import CannotCount
from whyfast.model.why import Cause, Change, Fact, SourcePlace
from whyfast.why.functions import FunctionKey
from whyfast.why.internals import changed_line
from whyfast.why.runtimes.protocol import Findings, RuntimeProgram, Sides
from whyfast.why.runtimes.python_reasons import (
    Reason,
    line_reason,
    plain_c_name,
    portions,
    takes_difference,
    work_of,
)
from whyfast.why.runtimes.python_runs import (
    PyFrame,
    PyFunction,
    PythonSide,
    read_counted,
    read_lines,
    read_sampled,
    same_names,
)
from whyfast.why.runtimes.python_times import MORE, PythonTimes, more_often

#: How many times longer a run may take under the profiler and with lines traced.
PROFILED, TRACED = 15.0, 60.0

#: How many times as long the interpreter must take to start: it is measured in milliseconds.
SLOW_START = 1.2

#: Share of a function's difference that a callee of C must carry to be its reason.
CARRIES = 0.5

_PYTHON = re.compile(r"python(\d(\.\d+)?)?t?d?$")

#: Where CPython's machine code is: both sides run one program, which then counts as a library.
_LIBRARIES = re.compile(
    r"^(python[\d.]*[a-z]*$|libpython|libc[.-]|libm[.-]|ld-|libpthread|\[)|\.cpython-|^_\w+\.so"
)


class CPython:
    """The interpreter of which sites and probes are known."""

    name = "Python"
    compiles = False
    idles: tuple[str, ...] = ()

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


#: Functions whose lines are traced, at most.
TARGETS = 6

#: Reasons that are numbers of bytecodes.
COUNTED = ("interpreter", "allocation")


class PythonAccount:
    """The causes of what the slow side spends more time in."""

    def __init__(self, sides: Sides, fast: PythonSide, slow: PythonSide) -> None:
        self._sides, self.fast, self.slow = sides, fast, slow
        self._times = PythonTimes(sides, fast, slow)

    def unexplained(self) -> list[PyFunction]:
        """Functions whose own time differs without calls that explain it."""
        found = [
            near
            for f, change in self._times.own()
            if self._callee_reason(culprit := self._times.culprit(f), change) is None
            for near in self._with_callees(culprit)
        ]
        return [*dict.fromkeys(found)][:TARGETS]

    def _with_callees(self, function: PyFunction) -> list[PyFunction]:
        """A function with those that it calls most often: what they take is seen in it, where they
        end before Python looks for signals."""
        called = self.slow.counted.callees.get(function, Counter()) if self.slow.counted else {}
        inner = [f for f in called if isinstance(f, PyFunction) and f != function]
        return [function, *sorted(inner, key=lambda f: -called[f])[:2]]

    def causes(self) -> Iterator[Cause]:
        yield from self._start()
        yield from self._imports()
        yield from self._garbage()
        yield from self._children()
        yield from self._calls()
        for sampled, change in self._times.own():
            function = self._times.culprit(sampled)
            reason = self._callee_reason(function, change)
            near = [] if reason else self._with_callees(function)
            lines = (self._line_reason(f, change) for f in near)
            line = next(filter(None, lines), None)
            if reason is None and (line is None or line.key in COUNTED):
                # Bytecodes do not take what a function of C takes.
                reason = self._callee_reason(function, change, known=False)
            reason = reason or line or self._unnamed(function, change)
            if reason is not None:
                place = self._place(function)
                at = reason.line or place.line
                yield self._sides.cause(
                    reason.key, reason.sentence, change, reason.basis,
                    SourcePlace(place.function, place.file, at), facts=reason.facts,
                    remedy=reason.remedy,
                )  # fmt: skip

    # Reasons

    def _start(self) -> Iterator[Cause]:
        for _, change in self._times.of("start"):
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
        rows = {str(w): c for (k, w), c in self._times.parts.items() if k == "import"}
        change = self._times.change([("import", m) for m in rows])
        if self._imports_more:
            fast, slow = (
                sum(len(s.modules) for s in side.sampled) / max(1, len(side.sampled))
                for side in (self.fast, self.slow)
            )
            first = max(rows, key=lambda m: rows[m].difference)
            frame = self._times.importers.get(first)
            where = f" from {at}" if (at := self._line_of(frame)) else ""
            part = rows[first].difference / change.difference
            change = self._times.change([("end", ""), *(("import", m) for m in rows)])
            yield self._sides.cause(
                "imports",
                f"it imports {_number(len(self._times.new[0]))} modules that "
                f"`{self._sides.quoted}` does not: `{first}`{where} takes {100 * part:.0f} % of "
                "the loading",
                change,
                "measured",
                self._place(frame.function, frame.line)
                if frame and frame.function
                else SourcePlace(),
                facts=(Fact("imported modules", fast, slow, "", "counted", "sys.modules"),),
                remedy="import them where they are used",
            )
        for _, change in self._times.of("compile"):
            yield self._sides.cause(
                "imports",
                "it compiles its modules at every start: none are kept in __pycache__",
                change,
                "measured",
                remedy="make __pycache__ writable, unset PYTHONDONTWRITEBYTECODE",
            )

    def _garbage(self) -> Iterator[Cause]:
        rows = {w: c for (k, w), c in self._times.parts.items() if k == "gc"}
        change = self._times.change([("gc", f) for f in rows])
        if not rows or not self._times.matters(change) or change.slow < MORE * change.fast:
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
        parts = [p for p in self._times.parts if p[0] == "import"]
        return bool(parts) and self._times.matters(self._times.change(parts))

    def _end(self) -> Iterator[Cause]:
        if self._imports_more:  # which are freed then
            return
        for _, change in self._times.of("end"):
            if change.slow < MORE * change.fast:  # the same objects take about as long
                continue
            yield self._sides.cause(
                "garbage-collection",
                f"it frees its objects at its end for {_ms(change.slow)} "
                f"(`{self._sides.quoted}`: {_ms(change.fast)})",
                change,
                "measured",
            )

    def _children(self) -> Iterator[Cause]:
        for _, change in self._times.of("children"):
            yield self._sides.cause(
                "processes",
                f"the programs that it starts take {_ms(change.slow)} of CPU time "
                f"(`{self._sides.quoted}`: {_ms(change.fast)})",
                change,
                "measured",
            )

    def _calls(self) -> Iterator[Cause]:
        for function, change in self._times.of("calls"):
            assert isinstance(function, PyFunction)
            numbers = self._times.numbers(function)
            assert numbers is not None
            above = self._times.above.get(function, Counter()).most_common(1)
            caller = above[0][0] if above else None
            # What the caller no longer does itself.
            less = self._times.parts.get(("self", caller))
            if less is not None and less.high < 0:
                change = self._times.change([("calls", function), ("self", caller)])
                if not self._times.matters(change):
                    continue
            from_where = f", from {self._named(caller)}" if caller and caller != function else ""
            yield self._sides.cause(
                "more-calls",
                f"{self._named(function)} is called {self._how_often(*numbers)}{from_where}",
                change,
                "counted",
                self._place(function),
                facts=(_calls_fact(function.name, *numbers),),
            )

    def _callee_reason(
        self, function: PyFunction, change: Change, *, known: bool = True
    ) -> Reason | None:
        """A function of C that carries most of a function's difference, by the profiler's
        proportions. ``known``: only with more calls, or if it is known what it does."""
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
        more = more_often(*numbers)
        if not more and not what and known:
            return None
        where = self._named(function)
        text = f"`{plain_c_name(best)}` is called {self._how_often(*numbers)} in {where}"
        if not more:
            alike = "" if what else " in as many calls,"
            text = f"`{plain_c_name(best)}` takes longer{alike} in {where}"
        text += f" and {what}" if what else ""
        return Reason(
            key if what or more else "more-work",
            text if more else text + self._changed(function),
            "counted" if what or more else "measured",
            facts=(_calls_fact(plain_c_name(best), *numbers),),
        )

    def _unnamed(self, function: PyFunction, change: Change) -> Reason | None:
        """The function itself, where the machine code that takes longer has no names that would
        tell what it does, as in a stripped library."""
        more, without = 0.0, 0.0
        for run in self._sides.runs.sampled:
            sign = 1 if run.side == "slow" else -1
            more += sign * run.seconds
            without += sign * sum(s for stack, s in run.stacks.items() if not stack[0].name)
        if without < CARRIES * more or more <= 0:
            return None
        text = f"{self._named(function)} takes {_ms(change.slow)} (`{self._sides.quoted}`: "
        text += f"{_ms(change.fast)}), most of it in machine code without names"
        return Reason("more-work", text + self._changed(function), "measured")

    def _line_reason(self, function: PyFunction, change: Change) -> Reason | None:
        fast, slow = (s.lines.get(function) for s in (self.fast, self.slow))
        if not fast or not slow:
            return None
        where = self.slow.places[function]
        stopped = self.fast.stopped, self.slow.stopped
        reason = line_reason(
            fast,
            slow,
            stopped,
            change.difference,
            self._named(function),
            where.file,
            self._sides.quoted,
        )
        # Bytecodes of two versions of Python cannot be compared.
        same = self.fast.version[:2] == self.slow.version[:2]
        if reason is None or (reason.key in COUNTED and not same):
            return None
        return reason if takes_difference(reason, change.fast, change.difference) else None

    # Words

    def _changed(self, function: PyFunction) -> str:
        """Which line of the function's file differs, where one does."""
        fast, slow = (s.places.get(function) for s in (self.fast, self.slow))
        return changed_line(fast.file, slow.file, self._sides.quoted) if fast and slow else ""

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

    def _how_often(self, fast: int, slow: int) -> str:
        other = _number(fast) if fast else "never"
        times = "once" if slow == 1 else f"{_number(slow)} times"
        return f"{times} (`{self._sides.quoted}`: {other})"


def _calls_fact(name: str, fast: int, slow: int) -> Fact:
    return Fact(f"calls of {name}", fast, slow, "", "counted", "cProfile")


def _number(number: float) -> str:
    return f"{number:,.0f}"


def _ms(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 0.9995 else f"{1000 * seconds:.3g} ms"
