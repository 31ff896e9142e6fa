"""What variants lack, in words."""

from __future__ import annotations

from collections.abc import Sequence

from whyfast.model.sample import RunFailure
from whyfast.report.names import count, has, listed, sentence, shown, visible

#: More names than these are not spelt out.
MOST_NAMES = 3
#: Characters of what a program printed last that are shown.
_SAID = 400


def failure_text(failure: RunFailure) -> str:
    """One failure on a line: what failed, or what is lacking, and why."""
    if failure.lacks:
        return f"{failure.variant} has no {failure.benchmark}: {failure.reason}"
    return f"{failure.variant} failed on {failure.benchmark}: {reason_and_output(failure)}"


def reason_and_output(failure: RunFailure) -> str:
    """Why, with the last line that the program printed."""
    lines = [visible(line).strip() for line in failure.output.splitlines() if line.strip()]
    if not lines:
        return failure.reason
    last = lines[-1]
    return f"{failure.reason}; it said: {last if len(last) <= _SAID else last[: _SAID - 1] + '…'}"


def failed_sentences(failed: Sequence[RunFailure]) -> list[str]:
    """A single failure with its reason, of several the variants."""
    if len(failed) == 1:
        (one,) = failed
        return [sentence(f"{shown(one.variant)} failed: {reason_and_output(one)}")]
    broken = dict.fromkeys(f.variant for f in failed)
    names = [shown(name) for name in broken]
    return [f"{has(names, 'has', 'have')} benchmarks that failed."] if names else []


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
