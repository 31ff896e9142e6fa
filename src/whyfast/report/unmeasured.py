"""Variants whose machine code was read and which were not measured."""

from __future__ import annotations

from collections.abc import Sequence

from whyfast.model.build import Build, BuildOutcome
from whyfast.model.question import Question
from whyfast.report.names import listed, shown


def unmeasured_sentences(study: Question, builds: Sequence[BuildOutcome]) -> list[str]:
    """One sentence that names them, where others were measured."""
    if not study.measured:
        return []
    built = {b.variant for b in builds if isinstance(b, Build)}
    names = [shown(v.name) for v in study.variants if v.evidence_only and v.name in built]
    if not names:
        return []
    verb = "is" if len(names) == 1 else "are"
    return [f"{listed(names)} {verb} evidence only: built to be read, not measured."]


def measured_builds(study: Question, builds: Sequence[BuildOutcome]) -> list[BuildOutcome]:
    """The builds without those for evidence only."""
    unmeasured = {v.name for v in study.variants if v.evidence_only}
    return [b for b in builds if b.variant not in unmeasured]
