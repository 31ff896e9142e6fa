"""What programs say that a loop of theirs does beside taking time, and instructions beside it: a
table, and what goes with a gain of speed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from whyfast.model.observed import Figure
from whyfast.model.result import Result
from whyfast.report.document import NOTHING, Cell, ReportSection, Table, right, section, table
from whyfast.report.names import count, sentence, shown


def figures_section(result: Result) -> ReportSection | None:
    """What programs said, where variants differ in it."""
    found = figures_table(result)
    return section("figures", "Beside the time", found, importance="detail")


def _figures(result: Result) -> tuple[Figure, ...]:
    """What programs said, and before it the instructions of a loop where these were counted."""
    told = result.found.observed.figures
    if not told:
        return ()  # counts have a table of their own
    order = {b.name: at for at, b in enumerate(result.question.benchmarks)}
    counted = (
        Figure(one.benchmark, counts.variant, f"instructions a loop ({source})", round(number, 1))
        for one in result.found.counted
        for counts in one.counts
        for number, source in filter(None, [one.instructions_a_loop(counts.variant)])
    )
    return tuple(sorted((*counted, *told), key=lambda f: order.get(f.benchmark, len(order))))


def figures_table(result: Result, *, every: bool = False) -> Table | None:
    """A row a benchmark and figure, a column a variant; None when there is nothing.

    Rows in which all variants say the same are left out, unless ``every``.
    """
    said: dict[tuple[str, str], dict[str, Figure]] = {}
    for one in _figures(result):
        said.setdefault((one.benchmark, one.what), {})[one.variant] = one
    asked = {name for of in said.values() for name in of}
    variants = [v.name for v in result.question.variants if v.name in asked]
    rows = [
        (benchmark, what, *(_cell(of.get(name)) for name in variants))
        for (benchmark, what), of in said.items()
        if every or len({(f.number, f.word) for f in of.values()}) > 1
    ]
    title = "What a loop does beside taking time"
    title += "" if every else ", where variants differ"
    return table(title, ("benchmark", "figure", *right(*variants)), rows, fixed=2)


def figure_sentences(result: Result) -> list[str]:
    """For each variant that is faster than a baseline somewhere, and does more of something there:
    how often, and the largest case."""
    numbers = {
        (f.benchmark, f.variant, f.what): f.number for f in _figures(result) if f.number is not None
    }
    whats = list(dict.fromkeys(what for _, _, what in numbers))
    faster: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for v in result.judged.verdicts:
        if v.word == "faster" and v.benchmark is not None:
            faster[v.variant, v.baseline].append(v.benchmark)
    found = []
    for (variant, baseline), benchmarks in faster.items():
        for what in whats:
            more = [
                (mine, theirs, name)
                for name in benchmarks
                if (mine := numbers.get((name, variant, what))) is not None
                and (theirs := numbers.get((name, baseline, what))) is not None
                and mine > theirs
            ]
            if more:
                found.append(_sentence(variant, baseline, what, more, len(benchmarks)))
    return found


def _sentence(
    variant: str,
    baseline: str,
    what: str,
    more: Sequence[tuple[float, float, str]],
    faster: int,
) -> str:
    mine, theirs, name = max(more, key=lambda one: one[0] - one[1])
    of = "" if faster == 1 else f" on {len(more)} of the {count(faster, 'benchmark')}"
    return sentence(
        f"{shown(variant)} is faster than {shown(baseline)} with more {what}{of}: "
        f"{mine:g} against {theirs:g} on {shown(name)}"
    )


def _cell(figure: Figure | None) -> Cell | None:
    if figure is None:
        return None
    if figure.number is not None:
        return Cell(f"{figure.number:g}", number=figure.number)
    return Cell(figure.word) if figure.word else Cell(NOTHING.text, figure.why)
