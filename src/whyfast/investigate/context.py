"""An investigation in progress: the record that stages take and return; what a benchmark executes;
and the study restricted to what the user chose and to what can run here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from whyfast.investigate.services import Observer, Services
from whyfast.judge.comparisons import find_failed_expectations, usable_builds
from whyfast.measure.registry import MAKERS
from whyfast.measure.temporary_sysctls import TemporarySysctls
from whyfast.model.build import Build, BuildOutcome
from whyfast.model.errors import UserError
from whyfast.model.evidence import Evidence, FailedExpectation
from whyfast.model.sample import Observed
from whyfast.model.study import QUICK_SHARE, Commands, CountersFrom, Study
from whyfast.store.home import Home
from whyfast.study.load import load_study
from whyfast.study.sections import substitute
from whyfast.study.toml_document import nearest

if TYPE_CHECKING:
    from whyfast.model.build import Toolchain
    from whyfast.model.counters import Counted
    from whyfast.model.machine import Kernel

Q = TypeVar("Q", Study, Commands)


@dataclass(frozen=True)
class RunContext(Generic[Q]):
    """What is asked, where it is looked into, and what there is of the answer so far.

    Building fills ``toolchains``, ``builds`` (in the order of the study's variants), ``layouts``
    (programs of further layouts, by variant), ``packages`` (folders of Python packages, by the kind
    of runner or the placeholder that they are for), ``evidence`` and the ``seconds`` that it took;
    the measurer ``prefixes``, the words before each variant's commands, or the
    ``kernels`` that they run under. ``same`` maps variants to those that stand for them, see
    :func:`whyfast.investigate.building.dedupe_builds`. ``observed`` and ``counted`` come from the
    stages of that name. Values are not here but in the store.
    """

    question: Q
    home: Home
    observer: Observer
    services: Services
    toolchains: tuple[Toolchain, ...] = ()
    builds: tuple[BuildOutcome, ...] = ()
    layouts: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)
    packages: Mapping[str, Path] = field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    prefixes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kernels: Mapping[str, Kernel] = field(default_factory=dict)
    observed: Observed = field(default_factory=Observed)
    counted: tuple[Counted, ...] = ()
    same: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def usable(self) -> tuple[Build, ...]:
        """The builds that can be measured."""
        builds = usable_builds(self.question, self.builds, self.evidence)
        return tuple(b for b in builds if b.variant not in self.same)

    @property
    def failed_expectations(self) -> tuple[FailedExpectation, ...]:
        """Variants that are not what they should be."""
        return find_failed_expectations(self.question, self.evidence)

    @property
    def baselines(self) -> tuple[str, ...]:
        """Those of the question that can be measured; the first is the main one."""
        there = {b.variant for b in self.usable}
        return tuple(b for b in self.question.baselines if b in there)

    @property
    def sysctls(self) -> TemporarySysctls:
        """Holds settings of this machine's kernel."""
        return self.services.sysctls(self.services.system, self.home.doctor)


def argument_vector(
    work: RunContext[Study], command: tuple[str, ...], build: Build, program: Path | None = None
) -> tuple[str, ...]:
    """The command with its placeholders replaced; ``program`` is the build's own by default.

    ``{run}`` as a word of its own becomes the words of the variant; inside of another word, they
    stand there with spaces between them.
    """
    study = work.question
    run = study.variant(build.variant).run
    python = build.provenance.get("interpreter", {})
    places = {
        "run": " ".join(run),
        "program": str(program or build.program),
        "source": str(study.source.folder),
        "study": str(study.folder),
        "pyperformance": str(work.packages.get("pyperformance")),
        "python": str(python.get("program", "")),
    }
    words: list[str] = []
    for word in command:
        if word == "{run}":
            words += run
        else:
            words.append(substitute(word, places))
    return tuple(words)


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
