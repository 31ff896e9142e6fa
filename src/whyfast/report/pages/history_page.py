"""The page of a history, and its JSON."""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import Any

from whyfast.history.changes import FALSE_STEP
from whyfast.model.codec import dump, encode
from whyfast.model.history import Drift, Finding, History, Outlier, SeriesHistory, Shift
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections.history import (
    coincidences,
    cost_history_sentences,
    cost_history_table,
    headline,
    in_series,
    largest,
    main_findings,
    name_finding,
    search_commands,
    suite_wide,
    where_text,
    why_sentences,
)


def dump_history(history: History) -> str:
    """The JSON text; docs/schemas has the keys. Points are named, not numbered."""
    timeline, points = history.timeline, history.timeline.points

    def named(item: object, *keys: str) -> dict[str, Any]:
        data: dict[str, Any] = encode(item)
        return data | {key: points[data[key]] for key in keys}

    def series_data(h: SeriesHistory) -> dict[str, Any]:
        data: dict[str, Any] = encode(h)
        return data | {
            "shifts": [named(s, "before", "at") for s in h.shifts],
            "drifts": [named(d, "start", "end") for d in h.drifts],
            "outliers": [named(o, "at") for o in h.outliers],
        }

    data = {
        "headline": headline(history),
        "false_steps": FALSE_STEP,
        "by": timeline.by,
        "points": points,
        "major": [named(f, "before", "at") for f in suite_wide(history)],
        "largest": [
            {"series": o.series, "name": o.name, "ratio": o.ratio, "others": o.others}
            for o in largest(history)
        ],
        "findings": [named(f, "before", "at") for f in (*history.findings, *history.drifts)],
        "coincidences": [
            encode(c) | {"finding": named(c.finding, "before", "at")} for c in coincidences(history)
        ],
        "search": search_commands(history),
        "machines": timeline.machines,
        "when": timeline.when,
        "facts": timeline.facts,
        "suite": [series_data(h) for h in history.suite],
        "series": [series_data(h) for h in history.series],
    }
    return dump("history", data)


#: The lag-1 correlation of the noise from which a caution is shown.
_CORRELATED = 0.3
#: The most findings in a short report.
_ROWS = 20
_SHORT_CARE = (
    "Each point was measured at a different time, so a change of the machine looks like one of "
    "the program; measure both ends of a step again, interleaved (`whyfast ab`)."
)
#: The most search commands in the summary.
_COMMANDS = 2


def history_page(history: History) -> doc.Document:
    """The whole report; of a single series its table is part of the answer."""
    single = len(history.series) == 1
    commands = doc.code_block(search_commands(history), "sh")
    return doc.document(
        "history",
        doc.section("series", "The series", series_plot(history)),
        doc.section("found", "What changed", finding_table(history), importance="answer"),
        doc.section(
            "suite", "The suite as a whole", series_table(history, suite=True), importance="answer"
        ),
        doc.section(
            "machines", "Machine by machine", changes_by_machine(history), importance="answer"
        ),
        doc.section(
            "costs",
            "Costs",
            cost_history_table(history.timeline),
            doc.sentences(cost_history_sentences(history.timeline)),
            importance="answer",
        ),
        doc.section(
            "why", "What else changed", doc.sentences(why_sentences(history)), importance="answer"
        ),
        doc.section("search", "Search for the cause", commands, importance="answer"),
        doc.section(
            "each", "Each series", series_table(history), importance="main" if single else "detail"
        ),
        doc.section(
            "care", "Read with care", doc.sentences(cautions(history)), importance="answer"
        ),
        headline=headline(history),
        heading=f"Since when, by {history.timeline.by}",
        summary=_summary(history),
    )


def _summary(history: History) -> doc.Summary:
    """The answer on one screen: what the suite does in the headline, the others in the table."""
    rest, notes = largest(history), history.timeline.notes
    shown = finding_table(history, wide=False)
    shown = shown or series_table(history, suite=len(history.series) > 1)
    cautious = [c for c in cautions(history) if c not in notes]  # the first two are of all
    return doc.Summary(
        findings=tuple(why_sentences(history)),
        table=shown and replace(shown, short=None),
        care=(*notes, _SHORT_CARE, *cautious[2:]),
        row="finding" if rest else "row",
        headline=headline(history, named=False) if rest else "",
        commands=search_commands(history)[:_COMMANDS],
    )


def cautions(history: History) -> tuple[str, ...]:
    """How it was judged, and what weakens it."""
    total = len(history.series)
    there = "there is" if total == 1 else "there are"
    texts = [
        f"A series of independent noise without a change shows a false step in about "
        f"{fmt.percent(FALSE_STEP)} of cases, correlated noise more often; {there} {total} "
        "series.",
        "Each point was measured at a different time, so changes of the program and of the machine "
        "look alike. Measure both ends of a step again, interleaved, before blaming a commit: "
        "`whyfast ab` or `whyfast run`.",
    ]
    if wandering := sum(h.correlation >= _CORRELATED for h in history.series):
        texts.append(
            f"In {wandering} of {total} series the noise of neighbouring points is correlated "
            f"({_CORRELATED} or more). In these, only larger steps are found, and false steps are "
            "more frequent."
        )
    if edges := {i for h in history.series for i in _edge(h)}:
        names = ", ".join(history.timeline.points[i] for i in sorted(edges))
        texts.append(f"{names} is at an end of its series: it may be a new level or an outlier.")
    if short := len(history.timeline.series) - total:
        texts.append(f"{short} series with too few points left out.")
    return (*texts, *history.timeline.notes)


def finding_table(history: History, *, wide: bool = True) -> doc.Table | None:
    """Every finding, the suite's first if ``wide``, then the largest; in short the first ones."""
    others = (change.finding for change in largest(history))
    shared = suite_wide(history) if wide else ()
    rows = []
    for f in (*sorted(shared, key=lambda f: (-len(f.ratios), f.at)), *others):
        where = f"all with {where_text(f.where)}" if f.where else None  # what the series share
        where = next(iter(f.ratios)) if len(f.ratios) == 1 else where
        middle, sizes = median(f.ratios.values()), sorted(f.ratios.values(), key=fmt.size_of)
        ends = dict.fromkeys(fmt.exact_text(size).value for size in (sizes[0], sizes[-1]))
        ratio = doc.Cell(fmt.exact_text(middle).factor, number=middle)
        many = f"{len(f.ratios)} of {f.of}"
        rows.append((name_finding(history, f), many, where, ratio, " … ".join(ends)))
    columns = ("what", *doc.right("series"), "where", *doc.right("median", "from … to"))
    whole = doc.table(f"What changed, by {history.timeline.by}", columns, rows)
    if whole is None or len(rows) <= _ROWS:
        return whole
    caption = f"{whole.caption}: the first {_ROWS} of {len(rows)}; -v shows all"
    return replace(whole, short=replace(whole, caption=caption, rows=whole.rows[:_ROWS]))


def changes_by_machine(history: History) -> doc.Table | None:
    """The findings of the suite, one column per machine; None of a single machine."""
    machines = history.timeline.machines
    if len(machines) < 2:
        return None
    rows: dict[tuple[str, int, int], tuple[str, ...]] = {}
    for f in main_findings(history):
        cells = tuple(_on_machine(history, f, m) for m in machines)
        rows.setdefault((f.kind, f.before, f.at), (name_finding(history, f), *cells))
    return doc.table("What changed, machine by machine", ("what", *machines), rows.values())


def _on_machine(history: History, finding: Finding, machine: str) -> str:
    """What the machine's series do at that place, in both directions."""
    mine = {h.series.name: h for h in history.series if h.series.machine == machine}
    points = (finding.before, finding.at)
    if not any(all(h.series.values[i] is not None for i in points) for h in mine.values()):
        return "not measured"
    here = [
        r
        for f in (*history.findings, *history.drifts)
        if (f.kind, f.before, f.at) == (finding.kind, finding.before, finding.at)
        for name, r in f.ratios.items()
        if name in mine
    ]
    if not here:
        return "–"
    return f"{fmt.exact_text(median(here)).factor} in {len(here)} of {len(mine)}"


def series_table(history: History, *, suite: bool = False) -> doc.Table | None:
    """Each series, its levels and findings; with ``suite``, the suite's mean and median."""
    rows = [
        (
            h.series.name,
            " → ".join(dict.fromkeys(fmt.seconds(x) for x in _levels(h))),
            doc.Cell(fmt.percent(round(h.noise, 4)), number=h.noise),
            "; ".join(in_series(h, history.timeline.points)) or "no change",
        )
        for h in (history.suite if suite else history.series)
    ]
    heads = ("", None) if suite else ("series", "level")
    title = "The suite as a whole" if suite else "Each series"
    return doc.table(title, (*heads, *doc.right("noise"), "found"), rows)


def _levels(h: SeriesHistory) -> list[float]:
    """The levels at the ends of each stretch: a drift has two."""
    there = [i for i, level in enumerate(h.levels) if level is not None]
    ends = {*there[:1], *there[-1:]}
    ends.update(*((shift.before, shift.at) for shift in h.shifts))
    ends.update(*((drift.start, drift.end) for drift in h.drifts))
    return [level for i in sorted(ends) if (level := h.levels[i]) is not None]


def series_plot(history: History) -> doc.Plot:
    """A line for each series, its outliers, and the steps that many series share."""
    points = history.timeline.points
    series = [
        {
            "name": h.series.name,
            "keys": dict(h.series.keys),
            "values": list(h.series.values),
            "spreads": list(h.series.spreads),
            "levels": list(h.levels),
            "outliers": [o.at for o in h.outliers],
            "kinds": [kind for kind, items in findings.items() if items],
            "size": max(
                (fmt.size_of(f.ratio) for fs in findings.values() for f in fs), default=0.0
            ),
            "noise": h.noise,
            "findings": list(in_series(h, points)),
            "plain": h.series.higher,
        }
        for h in (*history.suite, *history.series)
        for findings in [_findings(h)]
    ]
    data = {
        "by": history.timeline.by,
        "points": list(points),
        "suite": len(history.suite),
        "series": series,
        "marks": [
            {"at": f.at, "kind": f.kind, "text": name_finding(history, f)}
            for f in suite_wide(history)
            if f.kind != "drift"
        ],
    }
    return doc.Plot("history", data)


def _findings(h: SeriesHistory) -> dict[str, tuple[Shift | Drift | Outlier, ...]]:
    return {"step": h.shifts, "drift": h.drifts, "outlier": h.outliers}


def _edge(history: SeriesHistory) -> list[int]:
    """Points that are a segment by themselves at either end."""
    there = [i for i, level in enumerate(history.levels) if level is not None]
    starts = [s.at for s in history.shifts]
    first = there[:1] if starts and starts[0] == there[1] else []
    return first + (there[-1:] if starts and starts[-1] == there[-1] else [])
