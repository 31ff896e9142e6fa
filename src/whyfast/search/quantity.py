"""What a search compares: times, or something that is counted and does not depend on load."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
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


#: What the program of the second work costs, a number above 0 a benchmark; more is worse. The first
#: has the good end, which is counted first. Raises :class:`CannotTell`.
Count = Callable[[Work[Study], Work[Study]], tuple[float, ...]]


def counting(quantity: Quantity) -> Count:
    """``instructions``: executed in one turn (a whole run where programs take none), by simulation.
    ``indirect-jumps``: the reciprocal of their number in the functions that dispatch, since a
    dispatch that was merged is the slower one."""
    return _Instructions() if quantity == "instructions" else _merged


def _merged(good: Work[Study], own: Work[Study]) -> tuple[float, ...]:
    del good
    dispatch = own.evidence[0].dispatch if own.evidence else None
    if dispatch is None or not dispatch.indirect_jumps:
        raise CannotTell("no indirect jump in the functions that dispatch")
    return (1 / dispatch.indirect_jumps,)


@dataclass
class _Instructions:
    """Of the good end it remembers how many loops were chosen; so each program is simulated once,
    and all do the same work."""

    _loops: dict[str, int] = field(default_factory=dict)

    def __call__(self, good: Work[Study], own: Work[Study]) -> tuple[float, ...]:
        benchmarks = [b for b in own.question.benchmarks if b.kind.countable]
        chosen = all(b.name in self._loops for b in benchmarks)
        work = own if good is own or chosen else _both(good, own)
        name = own.builds[0].variant
        found = []
        with scratch_folder(work.home) as folder:
            counter = BuildCounter(work, {}, folder)
            for benchmark in benchmarks:
                wanted = self._loops.get(benchmark.name)
                counts, _, loops = counter.simulated(benchmark, wanted)
                (mine,) = [c for c in counts if c.variant == name]
                executed = [c.value for c in mine.counters if c.name == "instructions"]
                if mine.failed or not executed or not executed[0]:
                    said = (*mine.notes, "nothing was counted")[0]
                    raise CannotTell(f"{benchmark.name}: {said}")
                self._loops[benchmark.name] = loops
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
