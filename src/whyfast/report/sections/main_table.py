"""The main table: every variant against every baseline; and what failed or is missing, in words."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import median

from whyfast.judge.ratios import over_layouts
from whyfast.model.build import BuildFailure
from whyfast.model.result import Pooled, Result
from whyfast.model.sample import Block, RunFailure
from whyfast.model.verdict import About, Outcome, Suite, Verdict
from whyfast.report.document import Cell, Table, right, table
from whyfast.report.formatting import (
    escape_controls,
    format_amount,
    format_seconds,
    has,
    join_words,
    plain_ratio_text,
    pluralize,
    quote,
    ratio_text,
    sentence,
)
from whyfast.report.sections.programs import contradiction

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
    lines = [escape_controls(line).strip() for line in failure.output.splitlines() if line.strip()]
    if not lines:
        return failure.reason
    last = lines[-1]
    return (
        f"{failure.reason}; last output: {last if len(last) <= _SAID else last[: _SAID - 1] + '…'}"
    )


def failed_sentences(failed: Sequence[RunFailure]) -> list[str]:
    """A single failure with its reason, of several the variants."""
    if len(failed) == 1:
        (failure,) = failed
        return [sentence(f"{quote(failure.variant)} failed: {reason_and_output(failure)}")]
    broken = dict.fromkeys(f.variant for f in failed)
    names = [quote(name) for name in broken]
    return [f"{has(names, 'has', 'have')} benchmarks that failed."] if names else []


def lacking_sentences(lacking: Sequence[RunFailure]) -> list[str]:
    """One sentence a variant and reason; then what that means for geometric means."""
    groups: dict[tuple[str, str], list[str]] = {}
    for lack in lacking:
        groups.setdefault((lack.variant, lack.reason), []).append(lack.benchmark)
    texts = [
        sentence(f"{quote(variant)} has no {_names(benchmarks)}: {reason}")
        for (variant, reason), benchmarks in groups.items()
    ]
    if texts:
        texts.append("A geometric mean covers the benchmarks that both sides have.")
    return texts


def _names(benchmarks: Sequence[str]) -> str:
    few = [quote(name) for name in benchmarks[:MOST_NAMES]]
    rest = len(benchmarks) - len(few)
    return join_words([*few, pluralize(rest, "further benchmark")] if rest else few)


SUITE = "geometric mean"
OUTCOMES: tuple[Outcome, ...] = ("faster", "slower", "same", "undecided")

_OPPOSITE: dict[Outcome, Outcome] = {
    "faster": "slower",
    "slower": "faster",
    "same": "same",
    "undecided": "undecided",
}


class Comparisons:
    """The overall verdict of each pair: its suite, or its only benchmark where there is none."""

    def __init__(self, verdicts: Iterable[Verdict], suites: Iterable[Suite]) -> None:
        single: defaultdict[tuple[str, str], list[Verdict]] = defaultdict(list)
        for verdict in verdicts:
            single[verdict.variant, verdict.baseline].append(verdict)
        self._overall = {
            pair: verdicts_of[0] for pair, verdicts_of in single.items() if len(verdicts_of) == 1
        }
        for suite in suites:
            self._overall[suite.verdict.variant, suite.verdict.baseline] = suite.verdict

    def of(self, variant: str, baseline: str) -> Verdict | None:
        """The overall verdict on ``variant`` against ``baseline``, whichever way it was judged."""
        verdict = self._overall.get((variant, baseline))
        if verdict is not None:
            return verdict
        other = self._overall.get((baseline, variant))
        return None if other is None else reversed_verdict(other)

    def __bool__(self) -> bool:
        return bool(self._overall)


def reversed_verdict(verdict: Verdict) -> Verdict:
    """The same comparison read from the other side."""
    return replace(
        verdict,
        variant=verdict.baseline,
        baseline=verdict.variant,
        outcome=_OPPOSITE[verdict.outcome],
        ratio=1 / verdict.ratio if verdict.ratio else math.inf,
        low=0.0 if math.isinf(verdict.high) else 1 / verdict.high,
        high=math.inf if verdict.low <= 0 else 1 / verdict.low,
    )


def verdict_cell(verdict: Verdict | Pooled) -> Cell:
    """A verdict as a cell: the ratio or the word in front, the interval as its detail."""
    if verdict.outcome == "same":
        plain = plain_ratio_text(verdict.ratio, verdict.low, verdict.high)
        return Cell("same", str(plain), "same", verdict.ratio)
    text = ratio_text(verdict.ratio, verdict.low, verdict.high)
    if verdict.outcome == "undecided":
        return Cell("undecided", str(text), "undecided", verdict.ratio)
    return Cell(text.factor, text.interval, verdict.outcome, verdict.ratio)


def tally(outcomes: Counter[Outcome]) -> str:
    """``faster on 3, slower on 1 and the same on 2``."""
    words = {outcome: outcome for outcome in OUTCOMES} | {"same": "the same"}
    return join_words([f"{words[o]} on {outcomes[o]}" for o in OUTCOMES if outcomes[o]])


def median_times(blocks: Iterable[Block]) -> Mapping[tuple[str, str], float]:
    """Median seconds of one inner loop, for each (benchmark, variant) over all blocks and turns.

    Of the blocks that the verdicts are about: those in drawn layouts where there are any.
    """
    times: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    blocks = list(blocks)
    for block in over_layouts(blocks) or blocks:
        for variant, values in block.values.items():
            times[block.benchmark, variant].extend(v / block.loops for v in values)
    return {key: median(values) for key, values in times.items() if values}


def value_text(value: float, about: About) -> str:
    """One value in print: a time, or a number of instructions where those were counted."""
    return format_amount(value) if about == "counts" else format_seconds(value)


def time_cell(value: float | None, about: About) -> Cell | None:
    """A median time as a cell, None when there is none."""
    return None if value is None else Cell(value_text(value, about), number=value)


def summary_table(result: Result) -> Table | None:
    """Every variant against every baseline; with a single benchmark its time as well.

    Variants of which only the machine code is read are left out; None when no other is there.
    """
    study, about = result.question, result.judged.about
    if about == "runs" and not result.judged.verdicts:
        return None
    comparisons = Comparisons(result.judged.verdicts, result.judged.suites)
    only = study.benchmarks[0].name if len(study.benchmarks) == 1 else None
    times = median_times(result.recorded.blocks) if only is not None else {}

    baselines = [b for b in study.baselines if b not in result.recorded.same]
    rows = [
        (
            folded_cell(result, name),
            *([time_cell(times.get((only or "", name)), about)] if times else []),
            *(comparison_cell(result, comparisons, name, b) for b in baselines),
        )
        for name in _summary_names(result)
    ]
    columns = ("variant", *(right("time") if times else ()))
    caption = (
        f"Time on {only}"
        if only
        else f"Time, {SUITE} of {pluralize(len(study.benchmarks), 'benchmark')}"
    )
    made = table(caption, (*columns, *(f"against {b}" for b in baselines)), rows)
    return None if made is None else replace(made, overall=True)


def folded_cell(result: Result, name: str) -> Cell:
    """The name of a variant, with those that it was measured for: "c2 = c3 = c4"."""
    others = [v for v, measured in result.recorded.same.items() if measured == name]
    return Cell(" = ".join([name, *others]), "byte-identical" if others else "")


def comparison_cell(
    result: Result, comparisons: Comparisons, name: str, baseline: str
) -> Cell | str | None:
    """A variant against a baseline: the overall verdict, or why there is none."""
    contradictions = {
        u.variant: contradiction(u) for u in result.found.failed_expectations if u.found is not None
    }
    if name == baseline:
        return Cell("baseline", contradictions.get(name, ""))
    name, baseline = (result.recorded.same.get(n, n) for n in (name, baseline))
    if name == baseline:
        return Cell("same", "byte-identical", "same", 1.0)
    if name in contradictions or baseline in contradictions:
        return Cell("not compared", contradictions.get(name, ""))
    verdict = comparisons.of(name, baseline)
    return _failure(result, name) if verdict is None else verdict_cell(verdict)


def _summary_names(result: Result) -> list[str]:
    names = [v.name for v in result.question.measured if v.name not in result.recorded.same]
    judged = (*result.judged.verdicts, *(s.verdict for s in result.judged.suites))
    return list(dict.fromkeys([*names, *(v.variant for v in judged)]))


def _failure(result: Result, name: str) -> str | None:
    for build in result.recorded.builds:
        if isinstance(build, BuildFailure) and build.variant == name:
            return "not buildable" if build.kind == "not-buildable" else "build failed"
    if any(f.variant == name for f in result.recorded.failed):
        return "run failed"
    return None
