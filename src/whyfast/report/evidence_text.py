"""What the machine code says beside the verdicts, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from whyfast.model.evidence import CalleeCounts, Evidence
from whyfast.model.question import Question
from whyfast.model.trouble import Trouble
from whyfast.report.calls_text import calls_sentences
from whyfast.report.names import count, listed, shown
from whyfast.report.trouble_text import trouble_sentences


def evidence_headline(
    study: Question, facts: Mapping[str, Evidence], troubles: Sequence[Trouble]
) -> str | None:
    """What a run that measured nothing has found; None when it was to measure, or read nothing."""
    read = _read(study, facts)
    if study.measured or not read:
        return None
    names = list(dict.fromkeys(shown(t.variant) for t in troubles))
    if not names:
        found = f"none of {count(len(read), 'program')} shows the symptom of a compiler's trouble"
    else:
        verb = "shows" if len(names) == 1 else "show"
        found = (
            f"{listed(names)}, of {count(len(read), 'program')}, {verb} the symptom of a "
            "compiler's trouble"
        )
    return f"Nothing was measured; in the machine code, {found}."


def evidence_sentences(
    study: Question,
    facts: Mapping[str, Evidence],
    troubles: Sequence[Trouble],
    calls: Sequence[CalleeCounts],
) -> list[str]:
    """Troubles of compilers, and calls that some builds have inlined."""
    return [*trouble_sentences(troubles, _read(study, facts)), *calls_sentences(calls)]


def _read(study: Question, facts: Mapping[str, Evidence]) -> list[str]:
    """The variants whose machine code was read, twins aside."""
    return [v.name for v in study.variants if v.name in facts and not v.twin_of]
