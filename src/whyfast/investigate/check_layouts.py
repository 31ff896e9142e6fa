"""A check measures in other layouts, too, where a difference is as small as placement makes."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

from whyfast.investigate.building import build
from whyfast.investigate.context import RunContext
from whyfast.investigate.measuring import check_programs, entries_of
from whyfast.investigate.recording import LiveSink, OpenRun, measure_blocks
from whyfast.investigate.services import Silent
from whyfast.measure.campaign import BenchmarkRun
from whyfast.model.code import Check
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark
from whyfast.model.verdict import MADE_BY_PLACEMENT

#: Layouts of each side where a difference is as small as placement makes them.
LAYOUTS = 16
#: Seconds that linking may take in any case.
_LINKING = 60.0


def measure_layouts(
    asked: Study, context: RunContext[Study], run: OpenRun, check: Check
) -> tuple[RunContext[Study], tuple[str, ...]]:
    """Measure in other layouts, too, what is as near to its margin as placement alone can bring
    it, where the study can link again and the budget lasts; notes say why not.

    ``context`` has the builds of the study ``asked``.
    """
    study = context.question
    if study.build.link is None or study.measure.layouts or run.failures():
        return context, ()
    near = _near(context, run, check)
    if not near:
        return context, ()
    names = ", ".join(b.name for b in near)
    taken = [b for b in run.blocks() if b.benchmark in {n.name for n in near}]
    count = LAYOUTS  # more than a check of the same builds has used
    while count <= sum(bool(b.layouts) for b in taken) / len(near):
        count *= 2
    clock, left = context.services.clock, study.measure.budget - run.seconds.get("measure", 0.0)
    # Every second block has a new layout.
    measuring = 2 * count * len(near) * sum(b.seconds for b in taken) / len(taken)
    seconds = measuring
    if measuring <= left:
        context.observer.note(f"{names}: as small as placement makes differences; linking it anew")
        began = clock.monotonic()
        linked, notes = _linked(
            asked, context, 1
        )  # shows whether it can be done, and how long it takes
        if notes:
            return context, notes
        seconds = (clock.monotonic() - began) * count / 2
        if seconds <= max(left, _LINKING):
            linked, notes = _linked(asked, context, count)
            entries = entries_of(linked, run, near)
            for entry in entries:
                drawn = sum(bool(b.layouts) for b in entry.blocks)
                entry.linked = entry.next_index - 2 * drawn
            earlier = sum(b.seconds for e in entries for b in e.blocks)
            spec = replace(linked.question.measure, budget=left + earlier)
            enough = partial(_has, count)
            measure_blocks(linked, run, entries, spec, enough)
            check_programs(linked)
            return linked, ()
        seconds += measuring
    note = (
        f"On {names} the difference is as small as placement alone makes: measuring it in other "
        f"layouts takes about {seconds:.0f} s more (--budget)."
    )
    return context, (note,)


def _linked(
    asked: Study, context: RunContext[Study], count: int
) -> tuple[RunContext[Study], tuple[str, ...]]:
    """The builds with so many layouts of each, and notes on why there are none."""
    wanted, study = (
        replace(s, measure=replace(s.measure, layouts=count)) for s in (asked, context.question)
    )
    heard = _Noting()
    linked = build(RunContext(wanted, context.home, heard, context.services))
    if all(v.name in linked.layouts for v in study.variants):
        return replace(context, question=study, layouts=linked.layouts), ()
    return context, tuple(f"{n[0].upper()}{n[1:]}." for n in heard.notes)


def _has(count: int, entry: BenchmarkRun) -> bool:
    return sum(bool(b.layouts) for b in entry.blocks) >= count


def _near(context: RunContext[Study], run: OpenRun, check: Check) -> list[Benchmark]:
    """The benchmarks whose difference is no more than placement can make."""
    moved = {r.benchmark for r in check.reaches if r.placement_only}
    benchmarks = [b for b in context.question.benchmarks if b.name not in moved]
    entries = entries_of(context, run, benchmarks)
    live = LiveSink(replace(context, observer=Silent()), run, entries, context.question.measure)
    drawn = {b.benchmark for b in run.blocks() if b.layouts}
    limit = math.log1p(MADE_BY_PLACEMENT)
    return [
        b
        for b in benchmarks
        if any(
            (v.outcome in ("faster", "slower") or (v.outcome == "undecided" and b.name in drawn))
            and abs(math.log(v.ratio)) < limit
            for v in live.verdicts(b.name)
        )
    ]


class _Noting(Silent):
    """Keeps notes for later."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)
