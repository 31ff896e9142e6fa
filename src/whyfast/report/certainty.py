"""How sure the verdicts are, and of what they speak."""

from __future__ import annotations

from whyfast.model.result import Result
from whyfast.model.verdict import About
from whyfast.report.distribution import distributions
from whyfast.report.distribution_table import EXPLAINED as SPREAD
from whyfast.report.names import count
from whyfast.report.numbers import format_percent
from whyfast.report.run_certainty import how_sure_runs

_ABOUT: dict[About, str] = {
    "binaries": "The verdicts are about these very binaries; another layout of the same code may "
    "be faster or slower.",
    "change": "Every block took a fresh layout, so the verdicts are about the change and not about "
    "where the linker placed it.",
    "commands": "The verdicts are about these commands as they were run, from start to end.",
    "runs": "The verdicts are about the recorded runs: whatever else changed between two of them "
    "is part of the difference.",
}


def how_sure(result: Result) -> tuple[str, ...]:
    """Sentences on confidence, the number of blocks, what an interval means, and the scope."""
    if result.judged.about == "runs":
        return how_sure_runs(result)
    if result.judged.about == "counts":
        return ()  # the answer says it: there is no chance in exact counts
    said = [*result.judged.verdicts, *(s.verdict for s in result.judged.suites)]
    if not said:
        return ()
    confidence = min(v.confidence for v in said)
    numbers = sorted(v.blocks for v in result.judged.verdicts) or sorted(v.blocks for v in said)
    blocks = count(numbers[-1], "block")
    if numbers[0] != numbers[-1]:
        blocks = f"{numbers[0]} to {blocks}"
    return (
        f"[low, high] holds the true ratio with {format_percent(confidence)} confidence, however "
        f"often one looks at the results; from {blocks} a benchmark.",
        f"A difference of less than {format_percent(result.question.margin)} does not matter here: "
        '"same" is said when the interval lies within it, "undecided" when more blocks are needed.',
        _ABOUT[result.judged.about],
        *((SPREAD,) if distributions(result) else ()),
    )
