"""What a history says, in sentences and tables."""

from __future__ import annotations

import math
from statistics import median

from whyfast.history.penalty import FALSE_STEP
from whyfast.model.history import Finding, History, SeriesHistory
from whyfast.report.names import count, printable
from whyfast.report.numbers import format_percent, format_seconds, ratio_text
from whyfast.report.page import Page
from whyfast.report.table import Cell, Column, Table

#: A finding is named in the headline when at least this share of its series has it.
_SHARE = 0.25


def history_page(history: History, *, every: bool) -> Page:
    """The whole report; ``every`` adds the table of all series."""
    tables: tuple[Table, ...] = (finding_table(history),) if history.findings else ()
    if every or len(history.series) == 1:
        tables += (series_table(history),)
    return Page(headline(history), tables, sentences(history))


def headline(history: History) -> str:
    """The steps and odd points that most series share, in the order of the points."""
    parts = [f"{name_finding(history, f)}: {_in_words(f)}" for f in major(history)]
    if not parts:
        return (
            f"No step and no odd point in {count(len(history.timeline.points), 'point')} "
            f"of {len(history.series)} series."
        )
    said = "; ".join(parts) + "."
    return said[0].upper() + said[1:]


def major(history: History) -> tuple[Finding, ...]:
    """Findings in at least a quarter of the series that they could be in, as time goes."""
    named = [f for f in history.findings if len(f.ratios) >= max(1, _SHARE * f.of)]
    whole = [f for f in named if not _few(f, history)]
    return tuple(sorted(whole or named, key=lambda f: (f.at, f.kind)))


def _few(finding: Finding, history: History) -> bool:
    """No more series than chance alone may give a step."""
    return len(finding.ratios) <= FALSE_STEP * len(history.series)


def name_finding(history: History, finding: Finding) -> str:
    """``step v5.4 → v5.5``, or ``odd point v5.6``."""
    points = history.timeline.points
    if finding.kind == "odd":
        return f"odd point {printable(points[finding.at])}"
    return f"step {printable(points[finding.before])} → {printable(points[finding.at])}"


def sentences(history: History) -> tuple[str, ...]:
    """How it was judged, and what weakens it."""
    total = len(history.series)
    there = "there is" if total == 1 else "there are"
    said = [
        f"A series without any change is given one in {format_percent(FALSE_STEP)} of cases if its "
        f"noise is independent from point to point; {there} {total} series.",
        "Each point was measured at its own time: what changed with the program and what changed "
        "with the machine look alike here. Measure both ends of a step again, interleaved, before "
        "blaming a commit: `whyfast ab` or `whyfast run`.",
    ]
    edges = sorted({i for h in history.series for i in _edge(h)})
    if edges:
        points = history.timeline.points
        names = ", ".join(printable(points[i]) for i in edges)
        said.append(
            f"{names} stands at an end with nothing beyond: whether it is a level of its own or an "
            "odd point cannot be told."
        )
    short = len(history.timeline.series) - total
    if short:
        said.append(f"{short} series with too few points left out.")
    return tuple(said)


def finding_table(history: History) -> Table:
    """Every finding, those in most series first."""
    rows = tuple(
        (
            Cell(name_finding(history, f)),
            Cell(f"{len(f.ratios)} of {f.of}"),
            Cell(_where(f) or "–"),
            Cell(_factor(median(f.ratios.values()))),
            Cell(_range(f)),
        )
        for f in history.findings
    )
    columns = (
        Column("what"),
        Column("series", "right"),
        Column("all with"),
        Column("median", "right"),
        Column("from … to", "right"),
    )
    return Table(f"What changed, by {printable(history.timeline.by)}", columns, rows)


def series_table(history: History) -> Table:
    """Each series: its level between the steps, and what was found."""
    points = history.timeline.points
    rows = []
    for h in history.series:
        steps = [
            f"{printable(points[s.before])} → {printable(points[s.at])} "
            f"{ratio_text(s.ratio, s.low, s.high)}"
            for s in h.shifts
        ]
        odd = [f"odd {printable(points[o.at])} {_factor(o.ratio)}" for o in h.odd]
        levels = [level for level in h.levels if level is not None]
        rows.append(
            (
                Cell(printable(h.series.name)),
                Cell(" → ".join(dict.fromkeys(format_seconds(x) for x in levels))),
                Cell(format_percent(round(h.noise, 4))),
                Cell("; ".join([*steps, *odd]) or "no change"),
            )
        )
    columns = (Column("series"), Column("level"), Column("noise", "right"), Column("found"))
    return Table("Each series", columns, tuple(rows))


def _edge(history: SeriesHistory) -> list[int]:
    """Points that are a segment by themselves at either end."""
    there = [i for i, level in enumerate(history.levels) if level is not None]
    starts = [s.at for s in history.shifts]
    ends = []
    if starts and starts[0] == there[1]:
        ends.append(there[0])
    if starts and starts[-1] == there[-1]:
        ends.append(there[-1])
    return ends


def _in_words(finding: Finding) -> str:
    ratios = list(finding.ratios.values())
    many = f" in {len(ratios)} of {finding.of} series" if finding.of > 1 else ""
    where = _where(finding)
    many += f" with {where}" if where else ""
    return f"{_factor(median(ratios))}{many}" + (" (median)" if len(ratios) > 1 else "")


def _where(finding: Finding) -> str:
    return ", ".join(f"{printable(c)}={printable(v)}" for c, v in finding.where.items())


def _factor(ratio: float) -> str:
    """1.9x slower, 2.2x faster: from the slower side."""
    word = "slower" if ratio > 1 else "faster"
    return f"{math.exp(abs(math.log(ratio))):.2f}x {word}"


def _range(finding: Finding) -> str:
    sizes = sorted(math.exp(abs(math.log(r))) for r in finding.ratios.values())
    return f"{sizes[0]:.2f}x … {sizes[-1]:.2f}x"
