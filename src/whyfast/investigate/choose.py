"""A study restricted to what is wanted of it this time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from whyfast.model.errors import UserError
from whyfast.model.study import QUICK_SHARE, CountersFrom, Study
from whyfast.study.wording import nearest

_COUNTERS: CountersFrom = "hardware or simulation"


@dataclass(frozen=True)
class Choice:
    """What a user asks of a study: names of variants and benchmarks (empty for all), seconds of
    measuring (None for the study's own), a quick look, machine code alone, and counters even where
    the study wants none."""

    only: tuple[str, ...] = ()
    benchmarks: tuple[str, ...] = ()
    budget: float | None = None
    quick: bool = False
    evidence_only: bool = False
    counters: bool = False


def chosen(study: Study, choice: Choice) -> Study:
    """The study as asked for; what is named goes before what ``[quick]`` says.

    UserError for a name that the study does not have.
    """
    only, benchmarks, budget = choice.only, choice.benchmarks, choice.budget
    if choice.quick:
        quick = study.quick
        only, benchmarks = only or quick.variants, benchmarks or quick.benchmarks
        own = study.measure.budget * QUICK_SHARE if quick.budget is None else quick.budget
        budget = own if budget is None else budget
    if choice.evidence_only:
        study = replace(
            study,
            variants=tuple(replace(v, evidence_only=True) for v in study.variants),
            twin=False,
        )
    study = narrow(study, only, benchmarks)
    if choice.counters and choice.evidence_only:
        raise UserError("--evidence-only runs no program to count", where="--counters")
    if choice.counters and study.evidence.counters == "nothing":
        study = replace(study, evidence=replace(study.evidence, counters=_COUNTERS))
    if budget is not None:
        study = replace(study, measure=replace(study.measure, budget=budget))
    return study


def narrow(study: Study, only: Sequence[str], benchmarks: Sequence[str]) -> Study:
    """The study with fewer variants and benchmarks; baselines and the claim's stay.

    UserError for a name that the study does not have.
    """
    if only:
        names = [v.name for v in study.variants]
        for name in only:
            if name not in names:
                raise UserError(_unknown("variant", name, names), where="--only")
        keep = {*only, *study.baselines}
        claim = study.claim if study.claim and study.claim.variant in keep else None
        if claim:
            keep.add(claim.baseline)
        study = replace(
            study,
            variants=tuple(v for v in study.variants if v.name in keep),
            left_out=tuple(v for v in study.variants if v.name not in keep),
            claim=claim,
        )
    if benchmarks:
        names = [b.name for b in study.benchmarks]
        for name in benchmarks:
            if name not in names:
                raise UserError(_unknown("benchmark", name, names), where="--benchmark")
        chosen = tuple(b for b in study.benchmarks if b.name in benchmarks)
        study = replace(study, benchmarks=chosen)
    return study


def _unknown(kind: str, name: str, known: list[str]) -> str:
    near = nearest(name, known)
    hint = f"did you mean {near!r}?" if near else f"there are {', '.join(known)}"
    return f"no {kind} {name!r}; {hint}"
