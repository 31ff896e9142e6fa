"""One line a benchmark: both times and what is said of their ratio."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from whyfast.model.result import Result
from whyfast.model.verdict import Verdict, Word
from whyfast.report.distribution import Distribution, distributions
from whyfast.report.names import printable, shown
from whyfast.report.numbers import format_verdict, ratio_text
from whyfast.report.times import median_times, value_text

#: So many lines a short report has room for; longer ones are shown on demand.
FEW = 12
EXPLAINED = (
    "The times are medians over all turns; a ratio is that of turns side by side, and need not be "
    "their quotient."
)


@dataclass(frozen=True)
class BenchmarkLine:
    """A benchmark's ``name``, the times ``before`` (baseline) and ``after`` (variant), empty when
    unknown, and what is ``said`` of their ratio, with its ``word``."""

    name: str
    before: str
    after: str
    said: str
    word: Word


@dataclass(frozen=True)
class LineGroup:
    """The lines of one pair under their ``title``, the fastest first; ``mean`` comes last."""

    variant: str
    baseline: str
    title: str
    lines: tuple[BenchmarkLine, ...]
    mean: str

    def starts(self, *, named: bool = True) -> tuple[str, ...]:
        """Each line up to what is said: "nbody: clang18 71.9 ms -> clang19 91.1 ms: ", without
        the names of the two "nbody: 71.9 ms -> 91.1 ms: ", one below the other."""
        widths = [
            max(len(part) for part in parts)
            for parts in zip(*((x.name, x.before, x.after) for x in self.lines), strict=True)
        ]
        base, variant = (f"{shown(n)} " if named else "" for n in (self.baseline, self.variant))
        if not any(x.before or x.after for x in self.lines):
            return tuple(f"{x.name}: ".ljust(widths[0] + 2) for x in self.lines)
        return tuple(
            f"{x.name}: ".ljust(widths[0] + 2)
            + f"{base}{x.before or '?':>{widths[1]}} -> {variant}{x.after or '?':>{widths[2]}}: "
            for x in self.lines
        )

    def texts(self, *, named: bool = True) -> tuple[str, ...]:
        """The whole lines."""
        return tuple(
            start + line.said
            for start, line in zip(self.starts(named=named), self.lines, strict=True)
        )


def line_groups(result: Result) -> tuple[LineGroup, ...]:
    """A group a pair, in the order of the study; empty with a single benchmark, whose one line
    the main table is, and for recorded runs, which have a table of their own."""
    if result.judged.about == "runs":
        return ()
    times = median_times(result.recorded.blocks)
    texts = {key: value_text(value, result.judged.about) for key, value in times.items()}
    return tuple(_group(d, texts, result.question.margin) for d in distributions(result))


def few_lines(result: Result) -> tuple[LineGroup, ...]:
    """The groups against the main baseline where they are :data:`FEW` lines together, else ()."""
    groups = [g for g in line_groups(result) if g.baseline in result.question.baselines[:1]]
    return tuple(groups) if sum(len(g.lines) for g in groups) <= FEW else ()


def mean_text(d: Distribution, margin: float) -> str:
    """The geometric mean, and what it would be without a benchmark that moves what is said."""
    if d.suite is None:
        return "not judged yet: a benchmark has no result"
    verdict = d.suite.verdict
    said = _said(verdict, margin)
    for carrier in d.carriers[:1]:
        scale = carrier.without / verdict.ratio
        rest = ratio_text(carrier.without, verdict.low * scale, verdict.high * scale)
        said += f"; without {shown(carrier.benchmark)} {rest.factor}"
    return said


def _group(d: Distribution, times: Mapping[tuple[str, str], str], margin: float) -> LineGroup:
    return LineGroup(
        d.variant,
        d.baseline,
        f"{shown(d.variant)} against {shown(d.baseline)}",
        tuple(_line(v, times, margin) for v in d.verdicts),
        mean_text(d, margin),
    )


def _line(verdict: Verdict, times: Mapping[tuple[str, str], str], margin: float) -> BenchmarkLine:
    name = verdict.benchmark or ""
    before, after = (times.get((name, who), "") for who in (verdict.baseline, verdict.variant))
    return BenchmarkLine(
        " ".join(printable(name).split()), before, after, _said(verdict, margin), verdict.word
    )


def _said(verdict: Verdict, margin: float) -> str:
    return format_verdict(verdict, margin).replace("undecided: ", "undecided, ", 1)
