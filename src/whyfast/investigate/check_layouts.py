"""A check measures in other layouts, too, where a difference is as small as placement makes."""

from __future__ import annotations

import math
from dataclasses import replace

from whyfast.investigate.building import build
from whyfast.investigate.context import RunContext
from whyfast.investigate.measuring import Processes, check_programs, entries_of
from whyfast.investigate.recording import LiveSink, OpenRun, measure_blocks
from whyfast.investigate.services import Silent
from whyfast.model.code import Check
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark
from whyfast.model.verdict import MADE_BY_PLACEMENT

#: Layouts of each side where a difference is as small as placement makes them, and the least.
LAYOUTS, _LEAST_LAYOUTS = 16, 12


def measure_layouts(
    work: RunContext[Study], run: OpenRun, check: Check
) -> tuple[RunContext[Study], tuple[str, ...]]:
    """Measure in other layouts, too, what is as near to its margin as placement alone can bring
    it, where the study can link again and the budget lasts; notes say why not."""
    from whyfast.judge.ratios import over_layouts  # loads numpy

    study = work.question
    if study.build.link is None or study.measure.layouts or run.failures():
        return work, ()
    near = _near(work, run, check)
    taken = [b for b in run.blocks() if b.benchmark in {n.name for n in near}]
    spent = run.seconds.get("measure", 0.0)
    needed = 2 * _LEAST_LAYOUTS * sum(b.seconds for b in taken) / max(len(taken), 1) * len(near)
    if not near:
        return work, ()
    names = ", ".join(b.name for b in near)
    count = LAYOUTS  # more than a check of the same builds has used
    while count <= len(over_layouts(taken)) / len(near):
        count *= 2
    if study.measure.budget - spent < needed:
        note = (
            f"A difference as small as placement makes them, on {names}: in other layouts it takes "
            f"about {needed:.0f} s more (--budget)."
        )
        return work, (note,)
    work.observer.note(f"linking {count} layouts of both sides, for the small difference: {names}")
    wanted = replace(study, measure=replace(study.measure, layouts=count))
    notes = _Noting()
    linked = Processes().ready(build(replace(work, question=wanted, observer=notes)))
    if not all(v.name in linked.layouts for v in study.variants):
        return work, tuple(f"{n[0].upper()}{n[1:]}." for n in notes.notes)
    linked = replace(linked, observer=work.observer)
    entries = entries_of(linked, run, near)
    earlier = sum(b.seconds for e in entries for b in e.blocks)
    spec = replace(wanted.measure, budget=study.measure.budget - spent + earlier)
    measure_blocks(linked, run, entries, spec, lambda e: len(over_layouts(e.blocks)) >= count)
    check_programs(linked)
    return linked, ()


def _near(work: RunContext[Study], run: OpenRun, check: Check) -> list[Benchmark]:
    """The benchmarks whose difference is no more than placement can make."""
    moved = {r.benchmark for r in check.reaches if r.placement_only}
    benchmarks = [b for b in work.question.benchmarks if b.name not in moved]
    entries = entries_of(work, run, benchmarks)
    live = LiveSink(replace(work, observer=Silent()), run, entries, work.question.measure)
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
