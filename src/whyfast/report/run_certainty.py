"""How sure verdicts on recorded runs are, and what they rest on."""

from __future__ import annotations

from whyfast.model.result import Result
from whyfast.report.distribution import distributions
from whyfast.report.distribution_table import EXPLAINED as SPREAD
from whyfast.report.names import count
from whyfast.report.numbers import format_percent


def how_sure_runs(result: Result) -> tuple[str, ...]:
    """Sentences on confidence, the unit that was repeated, the margin, and the scope."""
    said = [*result.judged.verdicts, *(s.verdict for s in result.judged.suites)]
    if not said:
        return ()
    numbers = sorted(v.blocks for v in said)
    processes = count(numbers[-1], "process") if numbers[-1] == 1 else f"{numbers[-1]} processes"
    if numbers[0] != numbers[-1]:
        processes = f"{numbers[0]} to {processes}"
    lowest = min(v.confidence for v in said)
    return (
        f"A ratio is that of the means over processes, of {processes} a file; values of one "
        "process count as one. [low, high] is a t interval on trimmed means of their logarithms, "
        f"at {format_percent(lowest)} confidence or more so that at most 5 % of all verdicts are "
        "expected to be wrong (false coverage rate).",
        f"A difference of less than {format_percent(result.question.margin)} does not matter here: "
        '"same" is said when the interval lies within it.',
        "The verdicts are about the recorded runs: whatever else changed between two of them is "
        "part of the difference.",
        *((SPREAD,) if distributions(result) else ()),
    )
