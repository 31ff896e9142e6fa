"""What a search compares: times, or something that is counted and does not depend on load."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

from whyfast.investigate.counting import BuildCounter, scratch_folder
from whyfast.investigate.work import Work
from whyfast.model.errors import UserError
from whyfast.model.study import Study

Quantity = Literal["time", "instructions", "indirect-jumps"]
QUANTITIES: tuple[Quantity, ...] = get_args(Quantity)


class CannotTell(Exception):
    """Why a program has no such quantity."""


def check_quantity(quantity: Quantity, study: Study) -> None:
    """Before anything is built: UserError when nothing of this study can be counted so."""
    if quantity == "indirect-jumps" and not study.evidence.dispatch:
        raise UserError(
            "the study names no functions that dispatch; write [evidence] dispatch = […]",
            where="--measure indirect-jumps",
        )
    if quantity == "instructions" and not any(b.kind.countable for b in study.benchmarks):
        kinds = ", ".join(sorted({b.runner for b in study.benchmarks}))
        raise UserError(
            f"benchmarks of the kind {kinds} cannot be counted; measure time",
            where="--measure instructions",
        )


def costs(quantity: Quantity, good: Work[Study], own: Work[Study]) -> tuple[float, ...]:
    """What the one program of ``own`` costs, a number above 0 a benchmark; more is worse.

    ``good`` is the good end, whose work decides how many loops are simulated. ``instructions``:
    executed in one turn (a whole run where programs take none), by simulation. ``indirect-jumps``:
    the reciprocal of their number in the functions that dispatch, since a dispatch that was merged
    is the slower one. Raises :class:`CannotTell`.
    """
    return _instructions(good, own) if quantity == "instructions" else (_merged(own),)


def _merged(own: Work[Study]) -> float:
    dispatch = own.evidence[0].dispatch if own.evidence else None
    if dispatch is None or not dispatch.indirect_jumps:
        raise CannotTell("no indirect jump in the functions that dispatch")
    return 1 / dispatch.indirect_jumps


def _instructions(good: Work[Study], own: Work[Study]) -> tuple[float, ...]:
    work = good if good is own else _both(good, own)
    name = own.builds[0].variant
    found = []
    with scratch_folder(work.home) as folder:
        counter = BuildCounter(work, {}, folder)
        for benchmark in (b for b in work.question.benchmarks if b.kind.countable):
            counts, _, _ = counter.simulated(benchmark)
            (mine,) = [c for c in counts if c.variant == name]
            executed = [c.value for c in mine.counters if c.name == "instructions"]
            if mine.failed or not executed or not executed[0]:
                raise CannotTell(f"{benchmark.name}: {(*mine.notes, 'nothing was counted')[0]}")
            found.append(executed[0])
    return tuple(found)


def _both(good: Work[Study], own: Work[Study]) -> Work[Study]:
    """One piece of work with two programs; the good end is its baseline."""
    works = (good, own)
    variants = tuple(w.question.variant(w.builds[0].variant) for w in works)
    return replace(
        good,
        question=replace(good.question, variants=variants),
        builds=tuple(w.builds[0] for w in works),
        toolchains=tuple({t.digest: t for w in works for t in w.toolchains}.values()),
        evidence=tuple(e for w in works for e in w.evidence),
        prefixes={k: v for w in works for k, v in w.prefixes.items()},
    )
