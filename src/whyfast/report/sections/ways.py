"""Ways to do the same: which is the cheapest, what the others gain on the first in each variant,
and what the variants gained otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from whyfast.judge.lines import WayCost, way_costs
from whyfast.model.build import Build
from whyfast.model.result import Result
from whyfast.model.study import Study, Ways
from whyfast.report.document import Cell, ReportSection, right, section, table
from whyfast.report.formatting import format_seconds, join_words, quote, ratio_text
from whyfast.report.sections.main_table import Comparisons, decided, tally

Costs = Mapping[tuple[str, str], WayCost]


def way_sentences(result: Result) -> Iterator[str]:
    """The cheapest way in the last variant first; then what each way gains on the first way of the
    same variant, and what the first gained from variant to variant."""
    question = result.question
    if not isinstance(question, Study) or not question.ways:
        return
    known = [(ways, costs) for ways in question.ways if (costs := _costs(result, ways))]
    for ways, costs in known:
        yield from _cheapest(ways, costs, _variants(result))
    for ways, costs in known:
        yield from _gains(ways, costs, _variants(result))
    if known:
        yield from _against_the_one_before(result)


def _variants(result: Result) -> list[str]:
    return [v.name for v in result.question.measured if not v.twin_of]


def _costs(result: Result, ways: Ways) -> Costs:
    return way_costs(ways, result.recorded.blocks, _variants(result))


def _cheapest(ways: Ways, costs: Costs, variants: Sequence[str]) -> Iterator[str]:
    """In the last variant that has two ways or more."""
    for variant in reversed(variants):
        here = sorted(
            (c for c in costs.values() if c.variant == variant), key=lambda c: c.time.seconds
        )
        if len(here) < 2:
            continue
        best, others = here[0], here[1:]
        tied = [c.way for c in others if c.time.low <= best.time.high]
        also = f", with {join_words(tied)} no dearer for certain" if tied else ""
        rest = join_words([f"{c.way} {_time(c)}" for c in others])
        yield (
            f"{ways.what} is cheapest by {best.way} on {quote(variant)}{also}: {_time(best)}, "
            f"against {rest}."
        )
        return


def _gains(ways: Ways, costs: Costs, variants: Sequence[str]) -> Iterator[str]:
    """What each way gains alone, and what the first one gained with the variants."""
    first, *others = ways.benchmarks
    for way in others:
        gains = [
            f"{text.factor} {text.interval} on {quote(v)}"
            for v in variants
            if (c := costs.get((way, v))) is not None
            and c.gain is not None
            and (text := ratio_text(1 / c.gain, 1 / c.high, 1 / c.low))
        ]
        if gains:
            yield f"Against {first} on the same variant, {way} alone is {join_words(gains)}."
    known = [v for v in variants if (first, v) in costs]
    if len(known) > 1:
        times = [f"{_time(costs[first, v])} on {quote(v)}" for v in known]
        yield f"What changed otherwise: {first} takes {join_words(times)}."


def _against_the_one_before(result: Result) -> Iterator[str]:
    """Where the last variant is slower than the main baseline, and whether than another."""
    variants, comparisons = _variants(result), Comparisons.of_result(result)
    last, main = variants[-1], result.question.baselines[0]
    slower = [
        v
        for v in decided(result.judged.verdicts)
        if (v.variant, v.baseline, v.outcome) == (last, main, "slower") and v.benchmark
    ]
    if slower:
        names = [f"{v.benchmark} ({ratio_text(v.ratio, v.low, v.high).factor})" for v in slower]
        yield f"{quote(last)} is slower than {quote(main)} on {join_words(names)}."
    for before in result.question.baselines[1:]:
        overall = comparisons.of(last, before)
        if overall is None or overall.outcome != "slower":
            continue
        each = [v for v in result.judged.verdicts if (v.variant, v.baseline) == (last, before)]
        reason = _builds_differ(result, last, before)
        yield (
            f"{quote(last)} is slower than {quote(before)}: {tally(each)} of {len(each)} "
            f"benchmarks; {reason}."
        )


def _builds_differ(result: Result, a: str, b: str) -> str:
    """How the interpreters of two variants were built apart, or that it explains nothing."""
    facts = {}
    for build in result.recorded.builds:
        if isinstance(build, Build) and build.variant in (a, b):
            facts[build.variant] = dict(build.provenance.get("interpreter", {}).get("facts", {}))
    if len(facts) < 2 or not all(facts.values()):
        return "how the two were built is not known"
    apart = [name for name, value in facts[a].items() if facts[b].get(name) != value]
    if not apart:
        options = join_words(list(facts[a]))
        return f"both were built alike ({options}), so that does not explain it: it is unexplained"
    differing = [f"{name} {facts[b].get(name)} and {facts[a][name]}" for name in apart]
    return f"the two were built differently, which may be the reason: {'; '.join(differing)}"


def way_section(result: Result) -> ReportSection | None:
    """A table for each task: ways as rows, variants as columns."""
    question = result.question
    if not isinstance(question, Study) or not question.ways:
        return None
    variants, tables = _variants(result), []
    for ways in question.ways:
        costs = _costs(result, ways)
        shown = [v for v in variants if any((w, v) in costs for w in ways.benchmarks)]
        rows = [(way, *(_cell(costs.get((way, v))) for v in shown)) for way in ways.benchmarks]
        if costs:
            tables.append(table(f"{ways.what}: time of a loop", ("way", *right(*shown)), rows))
    return section("ways", "What each way costs", *tables)


def _time(cost: WayCost) -> str:
    t = cost.time
    return f"{format_seconds(t.seconds)} [{format_seconds(t.low)}, {format_seconds(t.high)}]"


def _cell(cost: WayCost | None) -> Cell | None:
    if cost is None:
        return None
    low, high = format_seconds(cost.time.low), format_seconds(cost.time.high)
    return Cell(format_seconds(cost.time.seconds), f"[{low}, {high}]", number=cost.time.seconds)
