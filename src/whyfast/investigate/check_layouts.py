"""A check measures in other layouts, too, where a difference is as small as placement makes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from whyfast.build.recipe import Recipe
from whyfast.build.relink import CannotRelink
from whyfast.investigate.building import build
from whyfast.investigate.context import RunContext
from whyfast.investigate.measuring import check_programs, entries_of
from whyfast.investigate.recording import LiveSink, OpenRun, measure_blocks
from whyfast.investigate.services import Services, Silent
from whyfast.measure.calibrate import MOST_TURNS
from whyfast.measure.campaign import BenchmarkRun
from whyfast.model.build import Build
from whyfast.model.code import Check
from whyfast.model.sample import Block
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark
from whyfast.model.verdict import MADE_BY_PLACEMENT
from whyfast.store.builds import BuildStore

#: Layouts of each side where a difference is as small as placement makes them, and the fewest that
#: decide anything.
LAYOUTS, FEWEST = 16, 9
#: The share of the budget that is kept for them where a study can link again.
KEPT = 0.5
#: Of the time that is left, what blocks in layouts fill as far as can be foreseen.
_FILLED = 0.8
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
    context.observer.note(f"{names}: as small as placement makes differences; linking it anew")
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
        f"On {names} the difference is as small as placement alone makes: measuring it in other "
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
    """The benchmarks whose difference is no more than placement can make, the largest first: one
    that is certain, or as likely as not beyond the margin."""
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
            if size < limit and (certain or (v.outcome == "undecided" and likely)):
                near[benchmark.name] = max(size, near.get(benchmark.name, 0.0))
    return sorted((b for b in benchmarks if b.name in near), key=lambda b: -near[b.name])


@dataclass
class _Noting(Silent):
    """Keeps notes for later."""

    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        self.notes.append(text)
