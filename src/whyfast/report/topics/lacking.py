"""What variants lack, in words."""

from __future__ import annotations

from collections.abc import Sequence

from whyfast.model.sample import RunFailure
from whyfast.report.names import count, listed, sentence, shown

#: More names than these are not spelt out.
MOST_NAMES = 3


def failure_text(failure: RunFailure) -> str:
    """One failure on a line: what failed, or what is lacking, and why."""
    verb = "has no" if failure.lacks else "failed on"
    return f"{failure.variant} {verb} {failure.benchmark}: {failure.reason}"


def lacking_sentences(lacking: Sequence[RunFailure]) -> list[str]:
    """One sentence a variant and reason; then what that means for geometric means."""
    groups: dict[tuple[str, str], list[str]] = {}
    for one in lacking:
        groups.setdefault((one.variant, one.reason), []).append(one.benchmark)
    said = [
        sentence(f"{shown(variant)} has no {_names(benchmarks)}: {reason}")
        for (variant, reason), benchmarks in groups.items()
    ]
    if said:
        said.append("A geometric mean is over the benchmarks that both of its sides have.")
    return said


def _names(benchmarks: Sequence[str]) -> str:
    few = [shown(name) for name in benchmarks[:MOST_NAMES]]
    rest = len(benchmarks) - len(few)
    return listed([*few, count(rest, "further benchmark")] if rest else few)
