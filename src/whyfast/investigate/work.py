"""An investigation in progress: the record that stages take and return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from whyfast.investigate.events import Observer
from whyfast.investigate.outside import Outside
from whyfast.judge.expectations import find_unmet
from whyfast.judge.whole import usable_builds
from whyfast.measure.temporary_sysctls import Sysctls
from whyfast.model.build import Build, BuildOutcome
from whyfast.model.evidence import Evidence, Unmet
from whyfast.model.observed import Observed
from whyfast.model.question import Commands
from whyfast.model.study import Study
from whyfast.store.home import Home

if TYPE_CHECKING:
    from whyfast.model.boot import Kernel
    from whyfast.model.counted import Counted
    from whyfast.model.toolchain import Toolchain

Q = TypeVar("Q", Study, Commands)


@dataclass(frozen=True)
class Work(Generic[Q]):
    """What is asked, where it is looked into, and what there is of the answer so far.

    Building fills ``toolchains``, ``builds`` (in the order of the study's variants), ``layouts``
    (programs of further layouts, by variant), ``packages`` (folders of Python packages, by the kind
    of runner or the placeholder that they are for), ``evidence`` and the ``seconds`` that it took;
    the measurer ``prefixes``, the words before each variant's commands, or the
    ``kernels`` that they run under. ``same`` maps variants to those that stand for them, see
    :mod:`whyfast.investigate.folding`. ``observed`` and ``counted`` come from the stages of that
    name. Values are not here but in the store.
    """

    question: Q
    home: Home
    observer: Observer
    outside: Outside
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
        found = usable_builds(self.question, self.builds, self.evidence)
        return tuple(b for b in found if b.variant not in self.same)

    @property
    def unmet(self) -> tuple[Unmet, ...]:
        """Variants that are not what they should be."""
        return find_unmet(self.question, self.evidence)

    @property
    def baselines(self) -> tuple[str, ...]:
        """Those of the question that can be measured; the first is the main one."""
        there = {b.variant for b in self.usable}
        return tuple(b for b in self.question.baselines if b in there)

    @property
    def sysctls(self) -> Sysctls:
        """Holds settings of this machine's kernel."""
        return self.outside.sysctls(self.outside.system, self.home.doctor)
