"""Statements or functions against each other, in one Python or several, in turns.

Start at :func:`run_timeit`. Every side is looked at first, in a process of its own, which finds
mistakes before anything is measured; then all take turns as in any study.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from whyfast.interpreter.facts import facts_of
from whyfast.investigate.context import RunContext
from whyfast.investigate.recording import measure_blocks, recording
from whyfast.investigate.services import Observer, Services
from whyfast.measure.calibrate import LONGEST
from whyfast.measure.campaign import BenchmarkRun
from whyfast.measure.invocation import LaunchArguments
from whyfast.model.errors import UserError
from whyfast.model.evidence import BytecodeLine, CallCount, ChangedVariable, Listing, LoopFacts
from whyfast.model.result import Found, Recorded, Result
from whyfast.model.study import Commands, MeasureSpec
from whyfast.model.variant import Benchmark, Variant
from whyfast.model.verdict import Confound
from whyfast.store.home import Home

#: The one benchmark.
BENCHMARK = "loop"

#: Where the driver and what it imports lie; a root must show it.
TURNS = Path(__file__).resolve().parent.parent / "turns"
_DRIVER = TURNS / "timeit" / "driver.py"

#: Seconds that looking at a side may take: its setup and some loops.
INSPECTION_TIMEOUT = 600.0

#: A loop must take this many times what an empty one takes for the difference to be a time.
LEAST_ABOVE_EMPTY = 0.2

#: Where the values differ by less, relative to them, floating point may have made it.
CLOSE = 1e-9

#: Seconds of a turn. The loops before it have warmed the caches, so it can be as short as the clock
#: allows: how much neighbouring turns differ hardly depends on their length.
TURN = 50e-6


@dataclass(frozen=True)
class TimedSide:
    """What is timed: a ``statement``, or the ``function`` of a ``file``; its ``setup`` runs once a
    process. ``python`` are the words that start its interpreter."""

    name: str
    python: tuple[str, ...]
    setup: str = ""
    statement: str = ""
    file: str = ""
    function: str = ""

    @property
    def work(self) -> tuple[str, ...]:
        """As the driver wants it."""
        if self.file:
            return (self.setup, "file", self.file, self.function)
        return (self.setup, "statement", self.statement)

    @property
    def text(self) -> str:
        """What is timed, for people."""
        return f"{self.function}()" if self.file else self.statement


@dataclass(frozen=True)
class TimeitOptions:
    """Times in seconds. ``number`` are the loops of a turn, None: calibrated; ``repeat`` the number
    of blocks, None: until it is decided. ``clock`` is ``wall`` or ``process``, the CPU time.
    ``different``: the sides need not return the same. ``unit`` is what times are shown in."""

    budget: float = 10.0
    margin: float = 0.01
    number: int | None = None
    repeat: int | None = None
    clock: str = "wall"
    different: bool = False
    unit: str = ""
    timeout: float = 60.0


def run_timeit(
    sides: Sequence[TimedSide],
    options: TimeitOptions,
    home: Home,
    observer: Observer,
    *,
    services: Services | None = None,
    meanwhile: Callable[[], object] = lambda: None,
) -> Result:
    """Measure the sides until every comparison is decided or the budget is used.

    A single one is measured against itself. ``meanwhile`` is called while the sides are looked at.
    UserError for a side that fails, and where two return other values.
    """
    services = services or Services()
    observer.phase("inspect")
    seen = _all_inspected(sides, options, observer, services, meanwhile)
    if not options.different:
        _must_agree(sides, seen)
    if len(sides) == 1:
        sides = (*sides, replace(sides[0], name=f"{sides[0].name} (again)"))
        seen[sides[1].name] = seen[sides[0].name]
    whole = any(map(_hardly_takes_time, seen.values()))
    facts = tuple(_facts(side, seen[side.name], not whole) for side in sides)
    context = RunContext(_question(sides, options), home, observer, services)
    observer.phase("measure")
    with recording(context, None) as run:
        entry = _entry(context, sides, options, whole)
        entry.loops = options.number or _loops([data["loop"] * 1e-9 for data in seen.values()])
        ended = measure_blocks(
            context,
            run,
            [entry],
            MeasureSpec(options.budget),
            None if (n := options.repeat) is None else lambda e: len(e.blocks) >= n,
        )
    from whyfast.judge.judge_run import judge_run
    from whyfast.judge.lines import loop_time

    observer.phase("judge")
    recorded = run.recorded
    judged = judge_run(context.question, recorded, (), ended=ended and not recorded.failures)
    confounds = (*_doubts(facts, options, recorded), *judged.confounds)
    timed = tuple(
        replace(f, time=loop_time(recorded.blocks, f.variant), unit=options.unit) for f in facts
    )
    judged = replace(judged, confounds=confounds)
    return Result(context.question, recorded, judged, Found(loops=timed))


def _question(sides: Sequence[TimedSide], options: TimeitOptions) -> Commands:
    names = tuple(Variant(s.name, about=s.text if s.text != s.name else "") for s in sides)
    return Commands(
        name="timeit",
        baselines=(sides[0].name,),
        margin=options.margin,
        budget=options.budget,
        variants=names,
        benchmarks=(Benchmark(BENCHMARK, "turn", ()),),
    )


def _entry(
    context: RunContext[Commands], sides: Sequence[TimedSide], options: TimeitOptions, whole: bool
) -> BenchmarkRun:
    mode = "measure-whole" if whole else "measure"
    commands = {s.name: (*s.python, str(_DRIVER), mode, options.clock, *s.work) for s in sides}
    shared = {s.name: len(s.python) + 1 for s in sides}
    env = context.services.env
    arguments = LaunchArguments(commands, env, options.timeout, shared=shared)
    return BenchmarkRun(
        BENCHMARK,
        context.services.runner("turn", arguments),
        [s.name for s in sides],
        context.question.baselines,
    )


def _hardly_takes_time(data: Mapping[str, Any]) -> bool:
    """Whether a loop takes little more than an empty one, or has nothing to run."""
    code = next((c["instructions"] for c in data["code"] if c["name"] == "statement"), ())
    if code and {i[0] for i in code} <= _NOTHING:
        return True
    return bool(data["loop"] - data["empty"] < LEAST_ABOVE_EMPTY * data["empty"])


def _loops(seconds: Sequence[float]) -> int:
    """Loops of a turn, from the ``seconds`` of one of each side: the fastest takes a :data:`TURN`,
    unless the slowest then takes longer than a turn need be."""
    enough = round(TURN / min(seconds))
    return max(1, min(enough, int(LONGEST / max(seconds))))


# What a side does, found before it is measured.


def _all_inspected(
    sides: Sequence[TimedSide],
    options: TimeitOptions,
    observer: Observer,
    services: Services,
    meanwhile: Callable[[], object],
) -> dict[str, Mapping[str, Any]]:
    """What the driver says of each: as many at once as there are CPUs, and ``meanwhile``."""
    seen = {}
    with ThreadPoolExecutor(max(1, len(services.cpus))) as pool:
        looking = [pool.submit(_inspected, side, options, services) for side in sides]
        try:
            meanwhile()
            for side, future in zip(sides, looking, strict=True):
                observer.step(f"running {side.name}")
                seen[side.name] = future.result()
        except BaseException:  # also of an interrupt
            pool.shutdown(wait=False, cancel_futures=True)
            services.launcher.stop()
            raise
    return seen


def _inspected(side: TimedSide, options: TimeitOptions, services: Services) -> Mapping[str, Any]:
    """What the driver says of it; UserError where it cannot be run."""
    argv = (*side.python, str(_DRIVER), "inspect", options.clock, *side.work)
    where = side.name
    try:
        done = services.launcher.run(argv, env=services.env, timeout=INSPECTION_TIMEOUT)
    except TimeoutError:
        message = f"its setup and a few loops take more than {INSPECTION_TIMEOUT:.0f} s"
        raise UserError(message, where=where) from None
    except OSError as error:
        message = f"{side.python[0]} cannot be started: {error.strerror}"
        raise UserError(message, where=where) from None
    try:
        data: Mapping[str, Any] = json.loads(done.stdout)
    except ValueError:
        lines = done.output.strip().splitlines() or [f"it ended with {done.status}"]
        message = f"{shlex.join(side.python)} could not run the statement: {lines[-1][:200]}"
        raise UserError(message, where=where) from None
    if "error" in data:
        raise UserError(str(data["error"]), where=where)
    return data


def _must_agree(sides: Sequence[TimedSide], seen: Mapping[str, Mapping[str, Any]]) -> None:
    """UserError where a side returns another value than the first. What returns None works by its
    effect, and is not compared."""
    first = sides[0]
    for side in sides[1:]:
        a, b = seen[first.name], seen[side.name]
        if _returns(a) and _returns(b) and not _alike(a["value"], b["value"]):
            raise UserError(
                f"different return values: {first.name!r} returns {_kind(a)}, {side.name!r} "
                f"{_kind(b)}; to compare them anyway: --different"
            )


def _returns(data: Mapping[str, Any]) -> bool:
    return data.get("value") not in (None, ["None"]) and data.get("later") is None


def _kind(data: Mapping[str, Any]) -> str:
    first, shown = str(data["value"][0]), str(data["shown"])
    return f"{first}, of which nothing is computed yet" if "iterator" in first else shown


def _alike(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether two values are equal, floats within :data:`CLOSE`."""
    return len(a) == len(b) and all(map(_same_word, a, b))


def _same_word(a: str, b: str) -> bool:
    if a == b or (a[:1] == "?" and b[:1] == "?"):
        return True
    if a[:1] != "#" or b[:1] != "#":
        return False
    return math.isclose(float(a[1:]), float(b[1:]), rel_tol=CLOSE, abs_tol=1e-300)


def _facts(side: TimedSide, data: Mapping[str, Any], subtracted: bool) -> LoopFacts:
    changed = (ChangedVariable(c["name"], c["how"], tuple(c["lengths"])) for c in data["changed"])
    return LoopFacts(
        side.name,
        python=f"{data['implementation']} {data['version']}",
        statement=side.text,
        setup=side.setup,
        value=data["shown"],
        later=data["later"],
        empty=data["empty"] * 1e-9,
        subtracted=subtracted,
        changed=tuple(changed),
        calls=tuple(CallCount(*call) for call in data["calls"] if call[1] != side.function),
        raised=tuple(data.get("raised", ())),
        peak=data.get("peak"),
        left=data.get("left"),
        collections=data.get("collections"),
        folded=tuple((expression, value) for expression, value in data.get("folded", ())),
        code=tuple(
            Listing(c["name"], tuple(BytecodeLine(*i) for i in c["instructions"]))
            for c in data["code"]
        ),
        build=facts_of(data["compiler"], data["variables"]),
    )


# What could mislead.

#: Instructions that do no work of a statement.
_NOTHING = {"NOP", "RESUME"}


def _doubts(
    facts: Sequence[LoopFacts], options: TimeitOptions, recorded: Recorded
) -> Iterator[Confound]:
    """What the statements do that makes their loops another thing than one run of them."""
    unique = {f.variant: f for f in facts if not f.variant.endswith(" (again)")}
    for f in unique.values():
        for text in (*_effects(f), *_vanished(f)):
            yield Confound("statement", f"{f.variant!r} {text}", "warning", (f.variant,))
    values = {f.value for f in facts if f.value}
    if len(values) > 1 and "None" in values:
        silent = [f.variant for f in unique.values() if f.value == "None"]
        text = f"{silent[0]!r} returns nothing: its result was not compared"
        yield Confound("unchecked", text, "note", tuple(silent))
    if not all(f.subtracted for f in facts):
        yield Confound(
            "loop-overhead",
            f"a statement takes hardly more than an empty loop ({facts[0].empty * 1e9:.3g} ns), "
            "which therefore is part of all times: the ratio of the statements alone is further "
            "from 1 than the ratio shown",
        )
    yield from _other_builds(list(unique.values()))


def _effects(facts: LoopFacts) -> Iterator[str]:
    again = "; later loops start from the changed value"
    for c in facts.changed:
        if c.how in ("grows", "shrinks"):
            before, after = c.lengths[0], c.lengths[-1]
            text = f"{c.how.removesuffix('s')}s {c.name} from loop to loop ({before} to {after} "
            yield f"{text}elements in 8 loops): later loops do other work than the first"
        elif c.how == "once":
            yield f"changes {c.name} in its first loop{again}"
        elif facts.later is None:
            yield f"changes {c.name} in every loop{again}"
    if facts.later is not None and not any(c.how == "grows" for c in facts.changed):
        yield (
            f"returns {facts.value} in its first loop and {facts.later} in a later one: it depends "
            "on time or chance, or uses up what the setup created"
        )
    if facts.left:
        yield (
            f"leaves {facts.left:.3g} blocks of memory behind in every loop, so that the process "
            "changes while it is measured"
        )


def _vanished(facts: LoopFacts) -> Iterator[str]:
    statement = next((c for c in facts.code if c.name == "statement"), None)
    if statement is None or " 2." in facts.python:  # Python 2.7 shows no bytecode
        return
    names = {i.name for i in statement.instructions}
    for expression, value in facts.folded:
        left = "nothing is left to run" if names <= _NOTHING else f"its loops load {value}"
        yield (
            f"has {expression} computed by the compiler, so that {left}; put the operands into "
            "variables of the setup"
        )
    if facts.folded or facts.statement.strip() in ("pass", ""):
        return
    if names <= _NOTHING:
        yield "runs nothing: the compiler has removed it"
    elif names <= {*_NOTHING, "LOAD_CONST", "LOAD_SMALL_INT", "POP_TOP"}:
        yield "only loads a constant"


def _other_builds(facts: Sequence[LoopFacts]) -> Iterator[Confound]:
    """Interpreters that differ by more than their version."""
    first = facts[0]
    for other in facts[1:]:
        differing = [
            f"{name} {first.build.get(name) or 'none'} and {value or 'none'}"
            for name, value in other.build.items()
            if first.build.get(name) != value
        ]
        if differing and other.python.split(" ")[0] == first.python.split(" ")[0]:
            yield Confound(
                "interpreter-builds",
                f"the interpreters of {first.variant!r} and {other.variant!r} were built "
                f"differently, which is part of the difference: {'; '.join(differing)}",
                "warning",
                (other.variant,),
            )
