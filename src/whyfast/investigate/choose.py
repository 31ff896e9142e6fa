"""The study restricted to what the user chose and to what can run here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from whyfast.measure.registry import MAKERS
from whyfast.model.errors import UserError
from whyfast.model.study import QUICK_SHARE, CountersFrom, Study
from whyfast.study.load import load_study
from whyfast.study.toml_document import nearest

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
        quick_budget = study.measure.budget * QUICK_SHARE if quick.budget is None else quick.budget
        budget = quick_budget if budget is None else budget
    if choice.evidence_only:
        study = replace(
            study,
            variants=tuple(replace(v, evidence_only=True) for v in study.variants),
            control=False,
        )
    study = narrow(study, only, benchmarks)
    if choice.counters and choice.evidence_only:
        raise UserError("--evidence-only runs no program to count", where="--counters")
    if choice.counters and study.evidence.counters == "nothing":
        study = replace(study, evidence=replace(study.evidence, counters=_COUNTERS))
    if budget is not None:
        study = replace(study, measure=replace(study.measure, budget=budget))
    return study


def runnable(study: Study, why_not: Callable[[], str] | None = None) -> Study:
    """The study itself, or the one that it names in ``otherwise``, with ``stands_for`` saying why.

    ``why_not`` says what its runners need that this machine or user has not; None: as registered.
    UserError when there is such a thing, and it names no other study.
    """
    kinds = dict.fromkeys(b.runner for b in study.benchmarks if study.measured)
    asked = [why_not or why for k in kinds if (why := MAKERS[k].why_not)]
    reason = next(filter(None, (ask() for ask in asked)), "")
    if not reason:
        return study
    if not study.otherwise:
        raise UserError(f"cannot be run: {reason}", where=study.folder / "study.toml")
    other = load_study(study.otherwise)
    return replace(other, stands_for=f"{study.name} cannot be run here: {reason}")


def narrow(study: Study, only: Sequence[str], benchmarks: Sequence[str]) -> Study:
    """The study with fewer variants and benchmarks; baselines and the claim's stay.

    UserError for a name that the study does not have.
    """
    if only:
        _check_known("variant", only, [v.name for v in study.variants], "--only")
        counterparts = {study.counterpart(v) for v in study.variants if v.name in only}
        baselines = tuple(b for b in study.baselines if not study.along or b in counterparts)
        keep = {*only, *baselines}
        claim = study.claim if study.claim and study.claim.variant in keep else None
        if claim:
            keep.add(claim.baseline)
        study = replace(
            study,
            baselines=baselines,
            variants=tuple(v for v in study.variants if v.name in keep),
            left_out=tuple(v for v in study.variants if v.name not in keep),
            claim=claim,
        )
    if benchmarks:
        _check_known("benchmark", benchmarks, [b.name for b in study.benchmarks], "--benchmark")
        chosen = tuple(b for b in study.benchmarks if b.name in benchmarks)
        study = replace(study, benchmarks=chosen)
    return study


def _check_known(kind: str, names: Sequence[str], known: list[str], option: str) -> None:
    for name in names:
        if name not in known:
            near = nearest(name, known)
            hint = f"did you mean {near!r}?" if near else f"there are {', '.join(known)}"
            raise UserError(f"no {kind} {name!r}; {hint}", where=option)
