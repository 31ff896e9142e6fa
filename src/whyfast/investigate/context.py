"""An investigation in progress: the record that stages take and return, and what a benchmark
executes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from whyfast.investigate.services import Observer, Services
from whyfast.judge.comparisons import find_failed_expectations, usable_builds
from whyfast.measure.doctor.tune import TemporarySysctls
from whyfast.model.build import Build, BuildOutcome
from whyfast.model.evidence import Evidence, FailedExpectation
from whyfast.model.sample import Observed
from whyfast.model.study import Commands, Study
from whyfast.store.home import Home
from whyfast.study.sections import substitute

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
