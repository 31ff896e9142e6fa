"""What a check measures: which benchmarks of its study, and these in other layouts, too, where a
difference can be made by placement."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from whyfast.build.recipe import Recipe
from whyfast.build.relink import CannotRelink
from whyfast.build.revisions import Range, called
from whyfast.explain.python_files import MODULE
from whyfast.investigate.building import build
from whyfast.investigate.context import RunContext
from whyfast.investigate.measuring import check_programs, entries_of, runner_of
from whyfast.investigate.recording import LiveSink, OpenRun, measure_blocks
from whyfast.investigate.services import Services, Silent
from whyfast.investigate.trapped import first_runs_reach
from whyfast.judge.decide import ALPHA
from whyfast.judge.power import needed_blocks
from whyfast.measure.calibrate import MOST_TURNS, TURNS_TO_START
from whyfast.measure.campaign import BenchmarkRun
from whyfast.measure.harnesses import HARNESSES, NO_BENCHMARK
from whyfast.measure.invocation import InvocationFailed
from whyfast.model.build import Build
from whyfast.model.code import ChangeCoverage, Check, CodeComparison
from whyfast.model.result import Recorded
from whyfast.model.sample import Block
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark
from whyfast.model.verdict import MADE_BY_PLACEMENT, Verdict
from whyfast.store.builds import BuildStore
from whyfast.study.project import MOST, some_names

#: Layouts of each side where placement can have made a difference, and the fewest that
#: decide anything.
LAYOUTS, FEWEST = 16, 9
#: The share of the budget that is kept for them where a study can link again.
KEPT = 0.5
#: Log ratio from which on placement is not known to make it: 70 % in a commit of CPython
#: (docs/studies/code-placement.md).
_LARGEST = math.log(2)
#: Of the time that is left, what blocks in layouts fill as far as can be foreseen.
_FILLED = 0.8
#: Of the budget, what single runs of benchmarks for which it has no time may take beside it; and
#: how far apart these are where they tell anything.
_ONCE, _APART = 1 / 4, 2.0
#: Of the budget, what linking may take in any case.
_LINKING = 1 / 3
#: Seconds; what takes less was linked before.
_KNOWN = 0.1


def can_link(study: Study) -> bool:
    """Whether a check of this study may measure in other layouts by itself."""
    return study.build.link is not None and not study.measure.layouts


def measure_layouts(
    asked: Study, context: RunContext[Study], run: OpenRun, check: Check
) -> tuple[RunContext[Study], tuple[str, ...]]:
    """Measure in other layouts, too, what is as near to its margin as placement alone can bring
    it, where the study can link again; as many as the budget lasts for, notes say what it does not
    last for and why not.

    ``context`` has the builds of the study ``asked``.
    """
    if not can_link(context.question) or run.failures():
        return context, ()
    near = _near(context, run, check)
    if not near:
        return context, ()
    spent = run.seconds.get("measure", 0.0)
    plan = _planned(near, run.blocks(), context.question.measure.budget - spent)
    notes = (_too_long(plan.left_out, plan.seconds),) if plan.left_out else ()
    if not plan.chosen:
        return context, notes
    names = ", ".join(b.name for b in plan.chosen)
    context.observer.note(f"{names}: placement can have made the difference; linking it anew")
    most = max(plan.left, _LINKING * context.question.measure.budget)
    linker = _Linker(context.services, most)
    linked, why = _linked(asked, context, 1, linker)  # whether it can be done
    if why and not linker.late:
        return context, why
    count = plan.count if linker.takes(plan.count) <= most else int(most / linker.takes(1))
    if count >= FEWEST and not linker.late:
        linked, _ = _linked(asked, context, count, linker)
    if count < FEWEST or linker.late:
        seconds = linker.takes(FEWEST) + plan.seconds_of_chosen
        return context, (*notes, _too_long(plan.chosen, seconds))
    entries = entries_of(linked, run, plan.chosen)
    for entry in entries:
        drawn = sum(bool(b.layouts) for b in entry.blocks)
        entry.linked = entry.next_index - 2 * drawn
    _lengthen(entries, count, plan.left)
    earlier = sum(b.seconds for e in entries for b in e.blocks)
    spec = replace(linked.question.measure, budget=plan.left + earlier)
    measure_blocks(linked, run, entries, spec, partial(_has, count))
    check_programs(linked)
    return linked, notes


class _Linker:
    """Links one layout after the other, for as many ``seconds``; it gives up as soon as a link
    shows that the fewest take longer."""

    def __init__(self, services: Services, seconds: float) -> None:
        self._services, self._most = services, seconds
        self._end = services.clock.monotonic() + seconds
        self._longest = 0.0
        self.late = False

    def takes(self, count: int) -> float:
        """Seconds that so many layouts of both sides take, with the one that a control has."""
        return 2 * (count + 1) * self._longest

    def relink(
        self, recipe: Recipe, build: Build, store: BuildStore, seeds: Sequence[int], *_: object
    ) -> list[Path]:
        """See :func:`whyfast.build.relink.relink`."""
        clock = self._services.clock
        programs: list[Path] = []
        for seed in seeds:
            if self.late:
                raise CannotRelink("linking takes too long")
            began = clock.monotonic()
            left = max(_KNOWN, self._end - began)
            try:
                programs += self._services.relink(recipe, build, store, [seed], left)
            finally:
                now = clock.monotonic()
                if now - began > _KNOWN:
                    self._longest = max(self._longest, now - began)
                self.late = now > self._end or self.takes(FEWEST) > self._most
        return programs


@dataclass(frozen=True)
class _Plan:
    """Which benchmarks are measured in so many layouts of each side, of all checks together, in
    what is ``left`` of the budget; ``left_out`` are the others, ``seconds`` what the fewest layouts
    of these take, ``seconds_of_chosen`` what they take of the chosen."""

    chosen: Sequence[Benchmark]
    count: int
    left: float
    left_out: Sequence[Benchmark]
    seconds: float
    seconds_of_chosen: float


def _planned(near: Sequence[Benchmark], blocks: Sequence[Block], left: float) -> _Plan:
    """The first of these benchmarks, as many as get the fewest layouts; then as many layouts as
    they have time for. Every second block has a new one."""
    of = {b.name: [x for x in blocks if x.benchmark == b.name] for b in near}
    cost = {name: 2 * _turn_seconds(each) * _turns(each[0]) for name, each in of.items()}
    drawn = max(sum(bool(b.layouts) for b in each) for each in of.values())
    chosen: list[Benchmark] = []
    for benchmark in near:
        if FEWEST * sum(cost[b.name] for b in (*chosen, benchmark)) <= left:
            chosen.append(benchmark)
    left_out = [b for b in near if b not in chosen]
    total = sum(cost[b.name] for b in chosen)
    fits = int(left / total) if total > 0 else LAYOUTS
    wanted = LAYOUTS  # more than a check of the same builds has used
    while wanted <= drawn:
        wanted *= 2
    count = min(wanted, drawn + fits)
    return _Plan(
        chosen, count, left, left_out, FEWEST * sum(cost[b.name] for b in left_out), FEWEST * total
    )


def _lengthen(entries: Sequence[BenchmarkRun], count: int, left: float) -> None:
    """As many turns a block as there is time for, where the study leaves that open: a layout is
    used in one block, so only longer blocks make more of a budget."""
    seconds = sum(
        2 * (count - sum(bool(b.layouts) for b in e.blocks)) * _turn_seconds(e.blocks)
        for e in entries
    )
    for entry in entries:
        if entry.turns is None:
            entry.turns = max(_turns(entry.blocks[0]), int(_FILLED * left / seconds))
            entry.turns = min(MOST_TURNS, entry.turns)


def _turns(block: Block) -> int:
    return max(map(len, block.values.values()))


def _turn_seconds(blocks: Sequence[Block]) -> float:
    """What one more turn of a block takes, with its share of starting the processes."""
    return sum(b.seconds for b in blocks) / sum(map(_turns, blocks))


def _too_long(benchmarks: Sequence[Benchmark], seconds: float) -> str:
    names = ", ".join(b.name for b in benchmarks)
    return (
        f"Placement alone can have made the difference on {names}: measuring it in other "
        f"layouts takes about {max(1.0, seconds):.0f} s more (--budget)."
    )


def _linked(
    asked: Study, context: RunContext[Study], count: int, linker: _Linker
) -> tuple[RunContext[Study], tuple[str, ...]]:
    """The builds with so many layouts of each, and notes on why there are none."""
    wanted, study = (
        replace(s, measure=replace(s.measure, layouts=count)) for s in (asked, context.question)
    )
    heard = _Noting()
    services = replace(context.services, relink=linker.relink)
    linked = build(RunContext(wanted, context.home, heard, services))
    if all(v.name in linked.layouts for v in study.variants):
        return replace(context, question=study, layouts=linked.layouts), ()
    return context, tuple(f"{n[0].upper()}{n[1:]}." for n in heard.notes)


def _has(count: int, entry: BenchmarkRun) -> bool:
    return sum(bool(b.layouts) for b in entry.blocks) >= count


def _near(context: RunContext[Study], run: OpenRun, check: Check) -> list[Benchmark]:
    """The benchmarks whose difference placement can have made, the largest first: one that is
    certain, or as likely as not beyond the margin, and small or not of more instructions."""
    moved = {r.benchmark for r in check.reaches if r.placement_only}
    benchmarks = [b for b in context.question.benchmarks if b.name not in moved]
    entries = entries_of(context, run, benchmarks)
    live = LiveSink(replace(context, observer=Silent()), run, entries, context.question.measure)
    drawn = {b.benchmark for b in run.blocks() if b.layouts}
    least, limit = math.log1p(context.question.margin) / 2, math.log1p(MADE_BY_PLACEMENT)
    near: dict[str, float] = {}
    for benchmark in benchmarks:
        for v in live.verdicts(benchmark.name):
            size = abs(math.log(v.ratio))
            bounded = v.low > 0 and v.high < math.inf
            likely = benchmark.name in drawn or (bounded and size >= least)
            certain = v.outcome in ("faster", "slower")
            if size >= _LARGEST or (size >= limit and _of_instructions(check, v)):
                continue
            if certain or (v.outcome == "undecided" and likely):
                near[benchmark.name] = max(size, near.get(benchmark.name, 0.0))
    return sorted((b for b in benchmarks if b.name in near), key=lambda b: -near[b.name])


def _of_instructions(check: Check, verdict: Verdict) -> bool:
    """Whether the number of instructions that run differs at least half as much."""
    reach = check.reach(verdict.benchmark or "")
    if reach is None or reach.instructions is None:
        return False
    base, head = reach.instructions
    return math.log(head / base) / math.log(verdict.ratio) >= 1 / 2


@dataclass
class _Noting(Silent):
    """Keeps notes for later."""

    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        self.notes.append(text)


# Which benchmarks of its study a check measures: those whose files are there, of many those that
# execute what has changed, and of whole runs those that the budget has time for.


def with_files(
    context: RunContext[Study], change: Range
) -> tuple[RunContext[Study], tuple[str, ...]]:
    """With the study's own files for those of commands that the head does not have, as a study may
    be newer than what it is asked about; without benchmarks whose files are nowhere. Notes on
    both."""
    question = context.question
    taken: dict[str, list[str]] = {}
    absent: dict[str, list[str]] = {}
    benchmarks = []
    for benchmark in question.benchmarks:
        words = list(benchmark.command)
        for place, word in enumerate(words):
            name = word.removeprefix("{source}/").partition("::")[0]
            if not word.startswith("{source}/") or (question.source.folder / name).exists():
                continue
            if (question.folder / name).exists():
                words[place] = "{study}/" + word.removeprefix("{source}/")
                taken.setdefault(name, []).append(benchmark.name)
            else:
                absent.setdefault(name, []).append(benchmark.name)
        benchmarks.append(replace(benchmark, command=tuple(words)))
    notes = []
    head = called(change.head_name, change.head)
    if taken:
        what = "is that" if len(taken) == 1 else "are those"
        notes.append(f"{some_names([*taken], 3)} {what} of the study's folder, as {head} has none.")
    for name, without in absent.items():
        verb = "is" if len(without) == 1 else "are"
        notes.append(f"{some_names(without, 3)} {verb} not run: {head} has no {name}.")
    lost = {name for names in absent.values() for name in names}
    left = tuple(b for b in benchmarks if b.name not in lost)
    return replace(context, question=replace(question, benchmarks=left)), tuple(notes)


def chosen(
    context: RunContext[Study], code: CodeComparison, timeout: float
) -> tuple[RunContext[Study], tuple[str, ...]]:
    """Of many benchmarks with a harness the first that execute what has changed when they run once,
    in at most ``timeout`` seconds in all, and a note on the others. Where none does or none can be
    run so, the first of all: longer runs tell more."""
    question = context.question
    listed = [b for b in question.benchmarks if b.runner in HARNESSES]
    if len(listed) <= MOST or context.question.in_python:
        return context, ()
    reached = first_runs_reach(context, listed, code, timeout)
    return _with_the_first(context, listed, reached, len(listed))


def _with_the_first(
    context: RunContext[Study], listed: Sequence[Benchmark], reached: Collection[str], count: int
) -> tuple[RunContext[Study], tuple[str, ...]]:
    """Of those ``listed`` the first that are ``reached``, and a note on the others; ``count`` have
    been looked at."""
    question = context.question
    taken = [b for b in listed if b.name in reached][:MOST] or listed[:MOST]
    others = [b.name for b in listed if b.name in reached and b not in taken]
    if reached:
        note = f"Of {count} benchmarks {len(reached)} execute what has changed when run once"
        note += f"; not measured of these: {some_names(others)}." if others else "."
    else:
        note = f"Of {count} benchmarks the first {MOST} are measured: none is known to "
        note += "execute what has changed."
    kept = tuple(b for b in question.benchmarks if b in taken or b not in listed)
    return replace(context, question=replace(question, benchmarks=kept)), (note,)


def chosen_in_python(
    context: RunContext[Study], reaches: Sequence[ChangeCoverage]
) -> tuple[RunContext[Study], tuple[ChangeCoverage, ...], tuple[str, ...]]:
    """The same for benchmarks of Python, of which ``reaches`` says what they execute. Those that
    execute nothing of what has changed are left out of the question, however few there are: unlike
    machine code they run as before, wherever the rest lies."""
    idle = {r.benchmark for r in reaches if r.placement_only}
    benchmarks = tuple(b for b in context.question.benchmarks if b.name not in idle)
    context = replace(context, question=replace(context.question, benchmarks=benchmarks))
    if len(benchmarks) <= MOST:
        return context, tuple(reaches), ()
    known = {r.benchmark for r in reaches if r.executes and not r.executes[0].endswith(MODULE)}
    known = known or {r.benchmark for r in reaches if r.executes}  # on import alone
    context, notes = _with_the_first(context, benchmarks, known, len(reaches))
    kept = {*idle, *(b.name for b in context.question.benchmarks)}
    return context, tuple(r for r in reaches if r.benchmark in kept), notes


def without_one_sided(recorded: Recorded, names: Mapping[str, str]) -> Recorded:
    """With benchmarks that a variant, which is called as ``names`` says, does not have no longer as
    failures: the change may have added or removed them."""
    lacks = "does not have it, or nothing matches its filter"
    failures = tuple(
        replace(f, lacks=True, reason=f"{names.get(f.variant, f.variant)} {lacks}")
        if f.reason == NO_BENCHMARK
        else f
        for f in recorded.failures
    )
    return replace(recorded, failures=failures)


def groups(context: RunContext[Study], check: Check) -> Iterator[tuple[Benchmark, ...]]:
    """First what executes changed code, then what only its place can make differ."""
    last = {r.benchmark for r in check.reaches if r.placement_only}
    benchmarks = context.question.benchmarks
    yield tuple(b for b in benchmarks if b.name not in last)
    yield tuple(b for b in benchmarks if b.name in last)


def affordable(
    context: RunContext[Study], run: OpenRun, check: Check
) -> tuple[RunContext[Study], tuple[str, ...]]:
    """The benchmarks for which the budget has time, and a note on the others: runs of seconds each
    would all stay undecided. First come those that execute changed code, of which most."""
    question = context.question
    open_ = [b for group in groups(context, check) for b in group]
    taken = {b.benchmark for b in run.blocks()}
    left, out = question.measure.budget, list[Benchmark]()
    # Twice what a verdict needs at least, of a run of each side.
    runs = 2 * 2 * needed_blocks(ALPHA)
    for place, benchmark in enumerate(sorted(open_, key=lambda b: -_moved_by(check, b.name))):
        if benchmark.name in taken:
            continue
        if left > 0 and len(open_) > 1:
            with suppress(InvocationFailed):  # which is measured, and reported then
                took = _one_run(context, benchmark, context.baselines[0])[1]
                left -= runs * took * (1 + TURNS_TO_START * benchmark.kind.takes_turns)
        if left <= 0 and place:
            out.append(benchmark)
    if not out:
        return context, ()
    budget = question.measure.budget
    names = some_names([b.name for b in out])
    note = f"Not measured, as their runs are too long for {budget:.0f} s: {names}; a longer "
    apart = "".join(_apart_in_one_run(context, out, budget * _ONCE))
    kept = tuple(b for b in question.benchmarks if b not in out)
    note += f"--budget has time for them.{apart}"
    return replace(context, question=replace(question, benchmarks=kept)), (note,)


def _apart_in_one_run(
    context: RunContext[Study], benchmarks: Sequence[Benchmark], most: float
) -> Iterator[str]:
    """Sentences on those that one run of each side tells apart, of as many as fit into ``most``
    seconds or a little more."""
    clock = context.services.clock
    end = clock.monotonic() + most
    for benchmark in benchmarks:
        with suppress(InvocationFailed):
            sides = [v.name for v in context.question.variants]
            values = [_one_run(context, benchmark, side)[0] for side in sides]
            if max(values) > _APART * min(values):
                took = " and ".join(f"{v:.3g} s in {s}" for v, s in zip(values, sides, strict=True))
                yield f" In one run each {benchmark.name} took {took}."
        if clock.monotonic() >= end:
            return


def _one_run(context: RunContext[Study], benchmark: Benchmark, side: str) -> tuple[float, float]:
    """The first value of a process of that side, and the seconds that this took. Raises
    InvocationFailed."""
    clock = context.services.clock
    began = clock.monotonic()
    runner, _ = runner_of(context, benchmark)
    with closing(runner.enter(side, cpu=None, pad=0)) as invocation:
        value = invocation.turn(1).seconds
    return value, clock.monotonic() - began


def _moved_by(check: Check, benchmark: str) -> float:
    """How much the change is known to do there: 0 to 1 of the instructions, below 0 nothing."""
    reach = check.reach(benchmark)
    if reach is None or reach.placement_only:
        return -1.0 if reach else 0.0
    base, head = reach.instructions or (0.0, 0.0)
    return abs(head - base) / max(base, head, 1.0)
