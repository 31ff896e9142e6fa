"""One question about several programs: what each variant makes of each program's dispatch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from whyfast.model.evidence import DispatchFacts
from whyfast.model.verdict import Verdict


@dataclass(frozen=True)
class SurveyedVariant:
    """A variant of a program: its values on the study's axes, how it dispatches, and the verdict of
    the mean over all benchmarks against ``baseline`` (its own name: it is one).

    ``verdict`` is None where it was not measured; ``why`` says why there are no facts, or why it
    failed.
    """

    name: str
    baseline: str
    axes: Mapping[str, str] = field(default_factory=dict)
    facts: DispatchFacts | None = None
    verdict: Verdict | None = None
    why: str = ""


@dataclass(frozen=True)
class SurveyedProgram:
    """The study of one program in a survey: ``source`` is what was built, ``along`` the axes whose
    values name the baselines, ``failures`` what went wrong in its runs."""

    study: str
    title: str
    source: str
    along: Mapping[str, str]
    margin: float
    variants: tuple[SurveyedVariant, ...] = ()
    failures: tuple[str, ...] = ()


#: Relative difference in the number of jumps from which on a variant dispatches differently.
OTHER_JUMPS = 0.1


def other_dispatch(variant: DispatchFacts | None, baseline: DispatchFacts | None) -> bool:
    """Whether two builds dispatch differently: in form, or in the number of indirect jumps."""
    if variant is None or baseline is None:
        return False
    fewer, more = sorted((variant.indirect_jumps, baseline.indirect_jumps))
    return variant.form != baseline.form or more - fewer > OTHER_JUMPS * more
