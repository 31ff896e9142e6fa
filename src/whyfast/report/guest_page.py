"""A result that counts instructions under several kernels, as sentences and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from whyfast.judge.counts import counts, spread
from whyfast.judge.releases import ReleaseSeries, ReleaseStep, release_series
from whyfast.model.build import BuildFailure
from whyfast.model.result import Result
from whyfast.report.answer_text import Answer
from whyfast.report.guest_tables import (
    boot_table,
    count_table,
    number,
    point_table,
    slope_table,
)
from whyfast.report.names import listed, printable, sentence, shown
from whyfast.report.numbers import format_percent
from whyfast.report.page import Page
from whyfast.report.table import Table

#: Two ticks a round, give or take what an interrupt can add to a hundred thousand of them.
_ROUND, _ROUND_OFF = 2.0, 0.1

#: Less than this, in instructions, is the rounding of a fit.
_EXACT = 0.005


def guest_page(result: Result, *, every: bool) -> Page:
    """The whole report; ``every`` adds what was counted at each point, and the boots."""
    tables: list[Table | None] = [slope_table(result, series_of(result))]
    if tables[0] is None or every:
        tables.append(count_table(result))
    if every:
        tables += [point_table(result, series_of(result)), boot_table(result)]
    answer = guest_answer(result)
    return Page(answer.headline, tuple(t for t in tables if t is not None), answer.sentences)


def series_of(result: Result) -> tuple[ReleaseSeries, ...]:
    """Over the upstream versions of the kernels that were booted."""
    releases = {name: b.kernel.upstream for b in result.recorded.boots for name in b.variants}
    return release_series(result.question, result.judged.slopes, releases)


def guest_answer(result: Result) -> Answer:
    """The steps from release to release first, then what the numbers are and how sure."""
    series = series_of(result)
    steps = _steps(series)
    if steps:
        headline, *rest = steps
    elif any(len(one.points) > 1 for one in series):
        headline = (
            f"No step of more than {format_percent(result.question.margin)} from one kernel to the "
            f"next in {len(series)} series."
        )
        rest = []
    else:
        headline, rest = _largest(result), []
    if not result.recorded.complete:
        headline = f"The run is not complete. So far: {headline}"
    said = [*rest, _unit(result), *_repeated(result), *_disturbed(result), *_ticks(result)]
    said += [*_departures(result), *_failures(result)]
    return Answer(headline, tuple(said))


def _steps(series: Sequence[ReleaseSeries]) -> list[str]:
    """One sentence for each pair of kernels between which something changed, in most series
    first."""
    groups: dict[tuple[str, str], list[tuple[ReleaseSeries, ReleaseStep]]] = {}
    for one in series:
        for step in one.steps:
            key = (step.before.kernel, step.after.kernel)
            groups.setdefault(key, []).append((one, step))
    said = []
    for (before, after), found in sorted(groups.items(), key=lambda item: -len(item[1])):
        unit = printable(found[0][0].unit)
        costs = [
            f"{number(step.after.slope)} instructions after {number(step.before.slope)} "
            f"({printable(one.name)})"
            for one, step in found
        ]
        said.append(f"From Linux {before} to {after} a {unit} takes {listed(costs)}.")
    return said


def _largest(result: Result) -> str:
    decided = [v for v in result.judged.verdicts if v.word in ("faster", "slower")]
    if not decided:
        if result.judged.verdicts:
            return "There is no difference that matters."
        if not result.recorded.blocks:
            return "Nothing was counted."
        missing = shown(result.question.baselines[0])
        return f"There is nothing to compare, as the baseline {missing} was not counted."
    v = max(decided, key=lambda v: max(v.ratio, 1 / v.ratio))
    return (
        f"{shown(v.variant)} executes {number(v.ratio)} times as many instructions as "
        f"{shown(v.baseline)} on {shown(v.benchmark or '')}."
    )


def _unit(result: Result) -> str:
    emulators = listed(list(dict.fromkeys(b.emulator for b in result.recorded.boots))) or "QEMU"
    return (
        f"All numbers are instructions that {emulators} executed for the guest: simulated, "
        "and no times. They say nothing of caches, of branch prediction, or of how long an "
        "instruction takes."
    )


def _repeated(result: Result) -> Iterable[str]:
    """Whether the second boot counted as the first did."""
    if not result.recorded.boots:
        return
    boots = Counter(b.variants for b in result.recorded.boots)
    twice = sum(n > 1 for n in boots.values())
    who = (
        f"{twice} of {len(boots)} machines were booted twice"
        if 0 < twice < len(boots)
        else "Every machine was booted twice"
    )
    pairs = [
        own
        for b in result.question.benchmarks
        for v in result.question.measured
        if len(own := counts(result.recorded.blocks, b.name, v.name)) > 1
    ]
    if not pairs:
        yield "Every machine was booted once, so that it was not seen whether the counts repeat."
        return
    differing = [own for own in pairs if max(own) > min(own)]
    if not differing:
        yield f"{who}: all {len(pairs)} counts were the same both times."
        return
    worst = max(spread(own) for own in differing)
    yield (
        f"{who}: of {len(pairs)} counts, {len(differing)} differ from one "
        f"boot to the other, by {worst * 100:.2g} % at most."
    )


def _disturbed(result: Result) -> Iterable[str]:
    shares = [b.disturbed for b in result.recorded.boots]
    if shares and max(shares) > 0:
        most = max(b.most for b in result.recorded.boots)
        low, high = (f"{share:.0%}" for share in (min(shares), max(shares)))
        span = high if low == high else f"{low} to {high}"
        yield (
            f"The kernel interrupted {span} of the grants of a boot, by {number(most)} "
            "instructions at the most; the least of equal grants is what counts."
        )


def _ticks(result: Result) -> Iterable[str]:
    """A warning where the guest's clock does not count instructions."""
    for b in result.recorded.boots:
        if b.per_round is not None and abs(b.per_round - _ROUND) > _ROUND_OFF:
            yield (
                f"Read with care: under {b.kernel.name} a loop of two instructions took "
                f"{b.per_round:.2f} ticks of the clock, so that ticks may be no instructions."
            )


def _departures(result: Result) -> Iterable[str]:
    if result.judged.slopes:
        line = max(result.judged.slopes, key=lambda one: abs(one.departure))
        if abs(line.departure) < _EXACT:
            yield "Every point lies on its straight line to the instruction."
            return
        worst = f"{shown(line.variant)} at {line.departure_at} is furthest off"
        yield (
            "The points lie on straight lines to within "
            f"{number(abs(line.departure))} instructions ({worst})."
        )


def _failures(result: Result) -> list[str]:
    said = [
        sentence(
            f"{shown(b.variant)} cannot be run here: {b.reason}"
            if b.kind == "not-buildable"
            else f"The build of {shown(b.variant)} failed: {b.reason}"
        )
        for b in result.recorded.builds
        if isinstance(b, BuildFailure)
    ]
    groups: dict[str, list[tuple[str, str]]] = {}
    for f in result.recorded.failed:
        groups.setdefault(f.reason, []).append((f.variant, f.benchmark))
    for reason, where in groups.items():
        variants = listed([shown(v) for v in dict.fromkeys(v for v, _ in where)])
        benchmarks = list(dict.fromkeys(b for _, b in where))
        on = shown(benchmarks[0]) if len(benchmarks) == 1 else f"{len(benchmarks)} benchmarks"
        said.append(sentence(f"{variants} failed on {on}: {reason}"))
    return said
