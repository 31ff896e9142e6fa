"""Node: garbage collection, modules, calls, deoptimised functions, and functions that take longer.
Time is from V8's sampling profiler (``--cpu-prof``); calls are counted by V8's coverage in a run of
their own; collections and deoptimisations are from its traces; perf's samples show what the machine
code of V8 does for a function."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import dropwhile
from pathlib import Path

from whyfast.explain.objects import readable
from whyfast.formats.profiles import StackFrame
from whyfast.measure.runtimes import Document, RuntimeRuns, longest
from whyfast.measure.tools import CannotCount
from whyfast.model.why import Cause, Change, Fact, SourcePlace
from whyfast.why.functions import FunctionKey, plain_name
from whyfast.why.groups import family_of
from whyfast.why.internals import changed_line
from whyfast.why.runtimes.node_runs import (
    REGEXP,
    JsFunction,
    NodeSide,
    countable,
    of_program,
    read_coverage,
    read_profile,
)
from whyfast.why.runtimes.protocol import LEAST, Findings, RuntimeProgram, Sides
from whyfast.why.runtimes.v8 import bare, collects, most_work, operation, parse_traces, work_of
from whyfast.why.split import change_of

#: Microseconds between samples.
INTERVAL = 500

#: How many times as often a function must be called or deoptimised, how often where the other side
#: never does it, and how often deoptimisation is more than a program's warming up.
MORE, OFTEN, DEOPTIMISED = 1.5, 50, 5

#: Share of a function's difference that one function of machine code must take to be named.
MOST = 0.4

#: Times as long as on the fast side from which on a round of a loop does something else.
LONGER = 3.0

#: Executions from which a block is a loop that can carry a difference; and how many times as many
#: calls of node's own functions are more from there on: V8 does not count those that it inlines.
LOOPS, CERTAIN = 1000, 10


class NodeJs:
    """Programs of node, by the name of the program."""

    name = "Node"
    compiles = True
    #: What V8's own threads wait in; the program has one.
    idles: tuple[str, ...] = ("futex",)

    def claims(self, program: RuntimeProgram) -> bool:
        return program.name in ("node", "nodejs")

    def explain(self, sides: Sides) -> Findings:
        """Sample both sides in turns, then count and trace each once."""
        both = {"fast": NodeSide(), "slow": NodeSide()}
        sides.runs.note("asking node where its time goes")
        runs = longest(sides.runs, 20)
        for side in runs.order(runs.rounds):
            read_profile(_profile(runs, side, sides.programs[side]), both[side])
        for side, known in both.items():
            read_coverage(_coverage(runs, side), known)
            known.collections, known.deoptimised, known.reasons = parse_traces(
                _traces(runs, side, sides.programs[side])
            )
        causes = tuple(node_causes(sides, both["fast"], both["slow"]))
        return Findings(causes, _of_node)


def _of_node(key: FunctionKey) -> bool:
    """Node's own code and what V8 compiled, which perf cannot name."""
    return not key.library or key.library.startswith(
        ("node", "libnode", "[", "//anon", "libc", "libstdc")
    )


# Runs


def _profile(runs: RuntimeRuns, side: str, program: RuntimeProgram) -> list[Document]:
    output = runs.under(
        "node --cpu-prof",
        side,
        lambda command, folder: program.with_options(
            ["--cpu-prof", f"--cpu-prof-dir={folder}", f"--cpu-prof-interval={INTERVAL}"]
        ),
    )
    return _documents(output.files, ".cpuprofile")


def _coverage(runs: RuntimeRuns, side: str) -> list[Document]:
    output = runs.under(
        "NODE_V8_COVERAGE", side, lambda command, _: command, lambda f: {"NODE_V8_COVERAGE": str(f)}
    )
    return _documents(output.files, ".json")


def _documents(files: Mapping[str, str], suffix: str) -> list[Document]:
    try:
        documents = [json.loads(text) for name, text in files.items() if name.endswith(suffix)]
    except ValueError:
        raise CannotCount(f"node wrote a damaged {suffix} file") from None
    if not documents:
        raise CannotCount("node wrote no profile: the program did not end by itself")
    return documents


def _traces(runs: RuntimeRuns, side: str, program: RuntimeProgram) -> str:
    words = program.with_options(["--trace-gc", "--trace-deopt"])
    output = runs.under(
        "node --trace-gc --trace-deopt",
        side,
        lambda command, f: ["sh", "-c", 'exec "$@" >"$0"', str(f / "trace"), *words],
    )
    return output.files.get("trace", "")


# Causes


def node_causes(sides: Sides, fast: NodeSide, slow: NodeSide) -> Iterator[Cause]:
    """What carries the difference between two sides of which all was read."""
    division = _Division(sides, fast, slow)
    for (kind, what), change in division.parts().items():
        if kind == "garbage-collection":
            yield division.garbage(change)
        elif kind == "imports":
            yield division.imports(change)
        elif kind == "more-calls":
            assert isinstance(what, JsFunction)
            yield division.calls(what, change)
        elif kind == "more-work":
            assert isinstance(what, JsFunction)
            yield division.work(what, change)
        elif kind == "deoptimisation":
            yield division.deoptimised(change)
        elif isinstance(what, JsFunction) and (cause := division.longer(what)) is not None:
            yield cause


class _Division:
    """Samples by what would be their reason."""

    def __init__(self, sides: Sides, fast: NodeSide, slow: NodeSide) -> None:
        self._sides, self._fast, self._slow = sides, fast, slow
        self._new = slow.scripts() - fast.scripts()
        self._unstable = {
            n
            for n, count in slow.deoptimised.items()
            if count > fast.deoptimised[n] and n != "<module>"
        }
        more = sum(slow.deoptimised.values()), sum(fast.deoptimised.values())
        self._deoptimises = more[0] >= DEOPTIMISED + MORE * more[1]
        #: Seconds by part of each run.
        self._rows: dict[str, list[dict[tuple[str, object], float]]] = {"fast": [], "slow": []}

    def parts(self) -> dict[tuple[str, object], Change]:
        """What carries a share, with its seconds, the most first."""
        for name, side in (("fast", self._fast), ("slow", self._slow)):
            mean = sum(sum(r.values()) for r in side.runs) / max(1, len(side.runs))
            # The profile begins behind node's own start, and counts waits for a CPU.
            factor = min(1.0, self._sides.cpu[name] / mean) if mean > 0 else 1.0
            for run in side.runs:
                row: dict[tuple[str, object], float] = {}
                for stack, seconds in run.items():
                    part = self._part(stack)
                    row[part] = row.get(part, 0.0) + seconds * factor
                self._rows[name].append(row)
        names = {p for side in self._rows.values() for row in side for p in row}
        changes = {p: self._change([p]) for p in names}
        if (garbage := ("garbage-collection", "")) in changes:
            changes[garbage] = max(changes[garbage], self._collected(), key=lambda c: c.low)
        kept = {p: c for p, c in changes.items() if self._matters(c)}
        return dict(sorted(kept.items(), key=lambda row: -row[1].difference))

    def _change(self, parts: Sequence[tuple[str, object]]) -> Change:
        fast, slow = (
            [sum(row.get(p, 0.0) for p in parts) for row in self._rows[s]] for s in ("fast", "slow")
        )
        return change_of(fast, slow)

    def _matters(self, change: Change) -> bool:
        return self._sides.share(change.difference) >= LEAST and change.low > 0

    def _part(self, stack: Sequence[JsFunction]) -> tuple[str, object]:
        if stack[-1].name == "(garbage collector)":
            return "garbage-collection", ""
        if any(f.script in self._new for f in stack):
            return "imports", ""
        for function in dropwhile(lambda f: not of_program(f), stack):
            a, b = self._fast.calls[function], self._slow.calls[function]
            more = MORE if of_program(function) or a < LOOPS else CERTAIN
            if countable(function) and (b >= more * a if a else b >= OFTEN):
                return "more-calls", function
        if self._deoptimises and stack[-1].name in self._unstable:
            return "deoptimisation", ""
        a, b = self._fast.blocks[stack[-1]], self._slow.blocks[stack[-1]]
        if a and b >= max(MORE * a, LOOPS):
            return "more-work", stack[-1]
        # What node does for a function of the program is part of it.
        return "", next(filter(of_program, reversed(stack)), stack[-1])

    def _collected(self) -> Change:
        """User time of the collector on all threads, of which the profile sees the program's."""
        rows: dict[str, list[float]] = {"fast": [], "slow": []}
        for run in self._sides.runs.sampled:
            taken = sum(
                s for stack, s in run.stacks.items() if collects([self._names[f] for f in stack])
            )
            user = getattr(self._sides.split["user"], run.side)
            rows[run.side].append(user * taken / run.seconds if run.seconds else 0.0)
        return change_of(rows["fast"], rows["slow"]) if all(rows.values()) else Change(0, 0, 0, 0)

    def garbage(self, change: Change) -> Cause:
        a, b = (sum(s.collections.values()) for s in (self._fast, self._slow))
        return self._sides.cause(
            "garbage-collection",
            f"it collects garbage for {_ms(change.slow)} (`{self._sides.quoted}`: "
            f"{_ms(change.fast)}), in {b:,} collections ({a:,})",
            change,
            "measured",
            facts=(Fact("collections of garbage", a, b, "", "counted", "node --trace-gc"),),
            remedy="make fewer objects; node --max-semi-space-size=64 collects less often",
        )

    def imports(self, change: Change) -> Cause:
        first = min(self._new)
        return self._sides.cause(
            "imports",
            f"it loads {len(self._new):,} scripts that `{self._sides.quoted}` does not, such as "
            f"`{Path(first).name}`",
            change,
            "measured",
            facts=(Fact("scripts", len(self._fast.scripts()), len(self._slow.scripts())),),
        )

    def calls(self, function: JsFunction, change: Change) -> Cause:
        a, b = self._fast.calls[function], self._slow.calls[function]
        other = f"{a:,}" if a else "never"
        name, least, key, most = f"`{function.name}`", "", "more-calls", ""
        if of_program(function):
            key, most = self._native(change.difference)
        else:  # which says more than what V8 does most, maybe for another one
            name += f" of {function.script}, from {self._caller(function)},"
            least = "at least "
        return self._sides.cause(
            key if key == "exceptions" else "more-calls",
            f"{name} is called {least}{b:,} times (`{self._sides.quoted}`: {other}){most}",
            change,
            "counted",
            self._place(function),
            facts=(Fact(f"calls of {function.name}", a, b, "", "counted", "NODE_V8_COVERAGE"),),
        )

    def _caller(self, function: JsFunction) -> str:
        """The program's function that most of the time of one of node's is for."""
        above: Counter[str] = Counter()
        for run in self._slow.runs:
            for stack, seconds in run.items():
                if function in stack:
                    mine = [f.name for f in stack[: stack.index(function)] if of_program(f)]
                    above[(mine or [""])[-1]] += seconds  # type: ignore[assignment]
        return f"`{max(above, key=lambda name: above[name])}`"

    def _place(self, function: JsFunction) -> SourcePlace:
        file = Path(function.script or self._slow.main).name
        return SourcePlace(function.name, file, self._slow.lines.get(function, 0))

    def work(self, function: JsFunction, change: Change) -> Cause:
        """With functions that V8 inlined, which its profile does not tell apart."""
        a, b = self._fast.blocks[function], self._slow.blocks[function]
        key, text = "more-work", f"a loop in `{function.name}` runs {b:,} times"
        text += f" (`{self._sides.quoted}`: {a:,})"
        pace = change.slow / b * a / change.fast if change.fast > 0 else 1.0
        if pace >= LONGER:  # more rounds are the smaller part of it
            key, most = self._native(change.difference)
            text += f", and each round takes {pace:.2g}x as long{most}"
        return self._sides.cause(
            key,
            text,
            change,
            "counted",
            self._place(function),
            facts=(Fact("executions of a block", a, b, "", "counted", "NODE_V8_COVERAGE"),),
        )

    def longer(self, function: JsFunction) -> Cause | None:
        """A function of the program that takes longer though neither it nor a block of it runs
        more often; one that the fast side has not, less what the fast side alone has."""
        if not of_program(function):
            return None
        gone = [f for f in self._fast.lines if f not in self._slow.lines]
        new = function not in self._fast.lines
        change = self._change([("", f) for f in (function, *(gone if new else ()))])
        if not self._matters(change):
            return None
        where = self._place(function)
        text = f"`{function.name}` ({where.file}:{where.line}) takes {_ms(change.slow)}"
        other = "what it has instead: " if new and gone else ""
        text += f" (`{self._sides.quoted}`: {other}{_ms(change.fast)})"
        key, most = self._inside(function, change) or self._native(change.difference)
        if not most and not function.script:
            fast, slow = (s.main.removeprefix("file://") for s in (self._fast, self._slow))
            most = changed_line(fast, slow, self._sides.quoted)
        return self._sides.cause(key, text + most, change, "measured", where)

    def _inside(self, function: JsFunction, change: Change) -> tuple[str, str] | None:
        """(key, end of a sentence) of the regular expression that takes most of a function's
        difference."""
        taken: Counter[str] = Counter()
        for run in self._slow.runs:
            for stack, seconds in run.items():
                if function in stack and stack[-1].name.startswith(REGEXP):
                    taken[stack[-1].name.removeprefix(REGEXP)] += seconds  # type: ignore[assignment]
        pattern, most = next(iter(taken.most_common(1)), ("", 0.0))
        if most / len(self._slow.runs) < MOST * change.difference:
            return None
        return "string-work", f", most of it to match `/{pattern:.60}/`"

    def _native(self, seconds: float) -> tuple[str, str]:
        """(key, end of a sentence) of what takes most of the difference in machine code: V8's own
        or the C library's, which its profile counts for the JavaScript function that calls it.
        They are then taken: another function does not take longer for the same seconds."""
        more = self._operations
        if (most := most_work(more, MOST * seconds)) is not None:
            work, name = most
            same = [n for n in more if work_of(n) == work]
            left = max(0.0, 1 - seconds / sum(more[n] for n in same))
            more.update({n: (left - 1) * more[n] for n in same})
            return work.key, f", most of it in V8, which {work.does} (`{name}`)"
        name, taken = next(iter(more.most_common(1)), ("", 0.0))
        if not name or taken < MOST * seconds:
            return "more-work", ""
        more[name] -= min(taken, seconds)  # type: ignore[assignment]
        key = family_of(FunctionKey("libc.so.6", name)) or "more-work"
        owner = "V8's " if name.startswith(("Builtins_", "v8::")) else ""
        return key, f", most of it in {owner}`{bare(name)}`"

    @cached_property
    def _names(self) -> dict[StackFrame, str]:
        """Plain names of the functions that perf sampled."""
        frames = {f for r in self._sides.runs.sampled for stack in r.stacks for f in stack}
        texts = readable(f.name for f in frames)
        return {
            f: plain_name(f.name, Path(f.object).name if ".so" in f.object else "", texts)
            for f in frames
        }

    @cached_property
    def _operations(self) -> Counter[str]:
        """Seconds of the slow side beyond the fast one's by what machine code was called for."""
        more: Counter[str] = Counter()
        for side, sign in (("slow", 1), ("fast", -1)):
            runs = [r for r in self._sides.runs.sampled if r.side == side]
            for run in runs:
                for stack, taken in run.stacks.items():
                    name = operation([self._names[f] for f in stack])
                    more[name] += sign * taken / len(runs)  # type: ignore[assignment]
        del more[""]
        return more

    def deoptimised(self, change: Change) -> Cause:
        a, b = (sum(s.deoptimised.values()) for s in (self._fast, self._slow))
        names = sorted(self._unstable, key=lambda n: -self._slow.deoptimised[n])
        reason = max(self._slow.reasons, key=lambda r: self._slow.reasons[r])
        return self._sides.cause(
            "deoptimisation",
            f"optimised code is thrown away {b:,} times (`{self._sides.quoted}`: {a:,}), most "
            f"often that of `{names[0]}`: {reason}",
            change,
            "counted",
            SourcePlace(names[0]),
            facts=(Fact("deoptimisations", a, b, "", "counted", "node --trace-deopt"),),
            remedy="call a function with values of the same types and shapes",
        )


def _ms(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 0.9995 else f"{1000 * seconds:.3g} ms"
