"""Ways to do the same: which is the cheapest and what it gains, what the others gain on the first
in each variant, and what the variants gained or lost otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from whyfast.judge.lines import WayCost, way_costs
from whyfast.model.build import Build
from whyfast.model.result import Result
from whyfast.model.study import Study, Ways
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections.main_table import Comparisons, decided, tally

#: The most benchmarks that a sentence names.
_NAMED = 3

Costs = Mapping[tuple[str, str], WayCost]


def way_sentences(result: Result) -> Iterator[str]:
    """The cheapest way in the last variant first, and what it gains there; where the last variant
    lost; then what each way gains on the first way of the same variant, and what the first gained
    from variant to variant."""
    known = _known(result)
    for ways, costs in known:
        yield from _cheapest(ways, costs, _variants(result))
    measured = {v for _, costs in known for _, v in costs}
    for last in [v for v in _variants(result) if v in measured][-1:]:
        yield from _losses(result, last)
    for ways, costs in known:
        yield from _gains(ways, costs, _variants(result))


def _known(result: Result) -> list[tuple[Ways, Costs]]:
    """What was measured of the ways of a study."""
    if not isinstance(result.question, Study):
        return []
    blocks, variants = result.recorded.blocks, _variants(result)
    every = [(ways, way_costs(ways, blocks, variants)) for ways in result.question.ways]
    return [(ways, costs) for ways, costs in every if costs]


def _variants(result: Result) -> list[str]:
    return [v.name for v in result.question.measured if not v.control_of]


def _cheapest(ways: Ways, costs: Costs, variants: Sequence[str]) -> Iterator[str]:
    """In the last variant that has two ways or more."""
    here: list[WayCost] = []
    for variant in reversed(variants):
        here = [c for c in costs.values() if c.variant == variant]
        if len(here) > 1:
            break
    else:
        return
    best, *others = sorted(here, key=lambda c: c.time.seconds)
    text = f"{ways.what} is cheapest by {best.way} on {fmt.quote(best.variant)}: {_time(best)}"
    first = next(iter(ways.benchmarks))
    old = costs.get((first, best.variant))
    if old and (gain := _gain(best)):
        text += f", {gain} than by {first} there ({_short(old)})"
    before = next((costs[first, v] for v in variants if (first, v) in costs), best)
    if before.variant != best.variant:
        text += f"; on {fmt.quote(before.variant)} {first} took {_short(before)}"
    tied = [f"{c.way} ({_short(c)})" for c in others if c.time.low <= best.time.high]
    yield f"{text}{'; not certainly less than by ' if tied else ''}{fmt.join(tied)}."


def _gain(cost: WayCost) -> str:
    """``2.9x faster [2.8, 3.1]``; empty where there is nothing to hold it against."""
    if cost.gain is None:
        return ""
    return str(fmt.ratio_text(1 / cost.gain, 1 / cost.high, 1 / cost.low))


def _gains(ways: Ways, costs: Costs, variants: Sequence[str]) -> Iterator[str]:
    """What each way gains alone, and what the first one gained with the variants."""
    first, *others = ways.benchmarks
    for way in others:
        found = [(v, costs[way, v]) for v in variants if (way, v) in costs]
        gains = [f"{gain} on {fmt.quote(v)}" for v, c in found if (gain := _gain(c))]
        if gains:
            yield f"Against {first} on the same variant, {way} alone is {fmt.join(gains)}."
    known = [v for v in variants if (first, v) in costs]
    if len(known) > 1:
        times = [f"{_time(costs[first, v])} on {fmt.quote(v)}" for v in known]
        yield f"What changed otherwise: {first} takes {fmt.join(times)}."


def _losses(result: Result, last: str) -> Iterator[str]:
    """Where that variant is slower than a baseline, and whether their builds may explain it."""
    comparisons = Comparisons(result.judged)
    for before in result.question.baselines:
        each = [
            v
            for v in result.judged.verdicts
            if (v.variant, v.baseline) == (last, before) and v.benchmark
        ]
        slower = [v for v in decided(each) if v.outcome == "slower"]
        overall = comparisons.of(last, before)
        if not slower:
            continue
        on = f" on {len(slower)} of {fmt.pluralize(len(each), 'benchmark')}"
        if overall is not None and overall.outcome == "slower":
            on = f": {tally(each)} of {fmt.pluralize(len(each), 'benchmark')}"
        worst = [f"{v.benchmark} {fmt.text_of(v).value}" for v in slower]
        most = "most" if len(slower) > _NAMED else "by"
        reason = _builds_differ(result, last, before)
        yield (
            f"{fmt.quote(last)} is slower than {fmt.quote(before)}{on} ({most} "
            f"{fmt.join(worst[:_NAMED])}); {reason}."
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
        options = fmt.join(facts[a])
        return f"both were built alike ({options}), so that does not explain it: it is unexplained"
    differing = [f"{name} {facts[b].get(name)} and {facts[a][name]}" for name in apart]
    return f"the two were built differently, which may be the reason: {'; '.join(differing)}"


def way_section(result: Result) -> doc.ReportSection | None:
    """A table for each task: ways as rows, variants as columns."""
    tables = [_table(result, ways, costs) for ways, costs in _known(result)]
    return doc.section("ways", "What each way costs", *tables)


def way_summary(result: Result) -> doc.Table | None:
    """What each way of the first task costs, without intervals; None without ways."""
    first = next(iter(_known(result)), None)
    shown = first and _table(result, *first)
    if shown is None:
        return None
    return replace(shown.without_details(), caption=shown.caption.partition(";")[0])


def _table(result: Result, ways: Ways, costs: Costs) -> doc.Table | None:
    shown = [v for v in _variants(result) if any((w, v) in costs for w in ways.benchmarks)]
    measured = [w for w in ways.benchmarks if any((w, v) in costs for v in shown)]

    def cell(cost: WayCost | None) -> doc.Cell | None:
        return doc.Cell(_short(cost), _interval(cost), number=cost.time.seconds) if cost else None

    rows = [(way, *(cell(costs.get((way, v))) for v in shown)) for way in measured]
    sure = fmt.percent(min(c.time.confidence for c in costs.values()))
    return doc.table(
        f"{ways.what}: time of a loop; {sure} intervals", ("way", *doc.right(*shown)), rows
    )


def _short(cost: WayCost) -> str:
    return fmt.seconds(cost.time.seconds)


def _interval(cost: WayCost) -> str:
    """Without the unit of the lower end where both ends have the same: ``[14.4, 14.7 ns]``."""
    low, high = fmt.seconds(cost.time.low), fmt.seconds(cost.time.high)
    number, _, unit = low.partition(" ")
    return f"[{number if high.endswith(f' {unit}') else low}, {high}]"


def _time(cost: WayCost) -> str:
    return f"{_short(cost)} {_interval(cost)}"
