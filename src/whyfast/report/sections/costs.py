"""Time and cost: what each variant costs beside time, and where that goes against its gain."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from whyfast.judge.judge_run import BY_METRIC, cost_changes, costs_of, unbeaten
from whyfast.model.cost import COSTS, CostChange, SizeChange, VariantCost
from whyfast.model.result import Result
from whyfast.model.verdict import Verdict
from whyfast.report.document import (
    Cell,
    Plot,
    ReportSection,
    Table,
    right,
    section,
    sentences,
    table,
)
from whyfast.report.formatting import (
    escape_controls,
    format_amount,
    format_bytes,
    format_rough,
    format_seconds,
    join_words,
    pluralize,
    quote,
    text_of,
)
from whyfast.report.sections.certainty import medians_of
from whyfast.report.sections.changed_code import reason_text
from whyfast.report.sections.dispatching import replication_sentences
from whyfast.report.sections.main_table import Comparisons, verdict_cell

#: What is a price of speed, and not its cause: fewer instructions are none.
PRICES = (
    *("size", "allocated", "peak-heap", "left-over", "peak-memory", "user"),
    *("energy", "build-time", "build-memory"),
)
#: Costs that are columns of a short table, at most; prices and functions in a sentence.
_COLUMNS, _PRICES, _NAMES = 5, 2, 2
_SENTENCES = 3
#: Bytes of peak memory below which nobody buys or sells speed: a few hundred pages.
_LEAST_MEMORY = 1e6
#: The share of what code grew by that the functions in a sentence carry.
_CARRIED = 0.5


def cost_section(result: Result) -> ReportSection | None:
    """The table of time and cost, with the figure; what is unavailable, once each."""
    changes = cost_changes(result)
    return section(
        "costs",
        "Time and cost",
        cost_table(result, changes),
        cost_plot(result, changes),
        sentences([*replication_sentences(result), *unavailable(result.found.costs)]),
    )


# In sentences.


def cost_sentences(result: Result) -> Iterator[str]:
    """One sentence for each variant whose cost goes against its gain: it is faster, or as fast, and
    costs more; or slower, and costs less."""
    comparisons, medians = Comparisons.of_result(result), medians_of(result)
    changes = cost_changes(result)
    texts: list[tuple[float, str]] = []
    pairs = dict.fromkeys((c.variant, c.baseline) for c in changes)
    for variant, baseline in pairs:
        verdict = comparisons.of(variant, baseline)
        if verdict is None or verdict.outcome == "undecided":
            continue
        mine = [c for c in changes if (c.variant, c.baseline) == (variant, baseline)]
        against = _foremost([c for c in mine if _goes_against(c, verdict, medians)])
        if against:
            clauses = [_clause(c, mine, result.found.growth) for c in against]
            # Of one pair the sentence before has the verdict.
            start = _gain(verdict) if len(pairs) > 1 else f"{quote(variant)} has"
            text = f"{start} {join_words(clauses)}"
            text += f"{_uncounted(result, variant, baseline)}."
            texts.append((max(abs(_log(c.ratio)) for c in against), text))
    texts.sort(key=lambda t: -t[0])
    yield from (text for _, text in texts[:_SENTENCES])
    if (more := len(texts) - _SENTENCES) > 0:
        gain = "gains" if more == 1 else "gain"
        yield f"{pluralize(more, 'more variant')} {gain} at a cost, or the other way round."


def _goes_against(
    change: CostChange, verdict: Verdict, medians: Mapping[tuple[str, str], float]
) -> bool:
    """Whether that cost is a price of that verdict, and large enough to be one."""
    if change.key not in PRICES or change.outcome != (
        "less" if verdict.outcome == "slower" else "more"
    ):
        return False
    if change.key == "user":  # where less wall time was bought with it
        return verdict.outcome == "faster"
    if change.key == "peak-memory":
        sides = [medians.get((name, "maxrss"), 0.0) for name in (change.variant, change.baseline)]
        return abs(sides[0] - sides[1]) >= _LEAST_MEMORY
    return True


def _uncounted(result: Result, variant: str, baseline: str) -> str:
    """Libraries of the system that only one side has in its own file."""
    sizes = {c.variant: c for c in result.found.costs if c.key == "size"}
    notes = {name: sizes[name].note for name in (variant, baseline) if name in sizes}
    if len(set(notes.values())) < 2:
        return ""
    loads = [f"{quote(name)} loads {note}" for name, note in notes.items() if note]
    return f" ({join_words(loads)}, which is not counted)"


def _foremost(changes: Sequence[CostChange]) -> list[CostChange]:
    """Each cost once, on the benchmark where it differs most, in the order of all."""
    worst: dict[str, CostChange] = {}
    for c in changes:
        if c.key not in worst or abs(_log(c.ratio)) > abs(_log(worst[c.key].ratio)):
            worst[c.key] = c
    return list(worst.values())[:_PRICES]


def _log(ratio: float) -> float:
    return math.log(ratio) if 0 < ratio < math.inf else math.inf


def _gain(verdict: Verdict) -> str:
    name, baseline = quote(verdict.variant), quote(verdict.baseline)
    if verdict.outcome == "same":
        return f"{name} is as fast as {baseline}, for"
    word = "for" if verdict.outcome == "faster" else "with"
    return f"{name} is {text_of(verdict).factor} than {baseline}, {word}"


def _clause(change: CostChange, mine: Sequence[CostChange], growth: Sequence[SizeChange]) -> str:
    """``18 % more code, in `parse` (+4.1 kB)``. Of the size, that of its parts which carries it."""
    where = f" on {quote(change.benchmark)}" if change.benchmark and _several(mine) else ""
    if change.key != "size":
        return f"{more_text(change)} {COSTS[change.key].noun}{where}"
    parts = [c for c in mine if c.key in ("code", "rodata", "data")]
    part = max(parts, key=lambda c: _more(c) * _sign(change), default=change)
    kinds = ("function",) if part.key == "code" else ("data",)
    text = f"{more_text(part)} {COSTS[part.key].noun}"
    places = list(_places(part, [g for g in growth if g.of in kinds]))
    return f"{text}, in {join_words(places)}" if places else text


def _several(changes: Sequence[CostChange]) -> bool:
    return len({c.benchmark for c in changes if c.benchmark}) > 1


def _more(change: CostChange) -> float:
    return (change.after or 0.0) - (change.before or 0.0)


def _sign(change: CostChange) -> float:
    return 1.0 if _more(change) >= 0 else -1.0


def _places(change: CostChange, growth: Sequence[SizeChange]) -> Iterator[str]:
    """The few functions or data that carry half of a change; nothing where it is spread."""
    whole, sign = abs(_more(change)), _sign(change)
    mine = [g for g in growth if (g.variant, g.baseline) == (change.variant, change.baseline)]
    most = sorted(mine, key=lambda g: -g.more * sign)[:_NAMES]
    if len(most) > 1 and most[0].more * sign >= _CARRIED * whole:
        most = most[:1]
    if sum(g.more * sign for g in most) < _CARRIED * whole:
        return
    for g in most:
        bytes_more = f"{'+' if g.more > 0 else '−'}{format_bytes(abs(g.more))}"
        instances = g.number > 1 and "<…>" in g.name
        text = reason_text(g) or (f"{g.number} of them" if instances else "")
        yield f"`{escape_controls(g.name)}` ({bytes_more}{f', {text}' if text else ''})"


def more_text(change: CostChange) -> str:
    """``18 % more``, ``2.31x less``; of a number ``fewer``."""
    less = "fewer" if COSTS[change.key].unit == "number" else "less"
    ratio = change.ratio
    if not 0 < ratio < math.inf:
        return "some" if ratio else "no"
    if max(ratio, 1 / ratio) >= 2:
        factor = max(ratio, 1 / ratio)
        text = f"{factor:,.0f}x" if factor >= 100 else f"{factor:.3g}x"
        return f"{text} {'more' if ratio > 1 else less}"
    return f"{format_rough(abs(ratio - 1))} {'more' if ratio > 1 else less}"


def unavailable(costs: Sequence[VariantCost]) -> Iterator[str]:
    """Why costs are not known: each reason once, with all that it is the reason of; and what does
    not repeat."""
    every = {c.variant for c in costs}
    reasons: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for c in costs:
        if c.value is None and c.note:
            titles, names = reasons.setdefault(c.note, ({}, {}))
            titles[COSTS[c.key].title] = None
            names[c.variant] = None
    for note, (titles, names) in reasons.items():
        of = "" if names.keys() == every else f" of {join_words([quote(n) for n in names])}"
        yield f"Unavailable: {join_words(list(titles))}{of}: {note}."
    uneven = dict.fromkeys(
        (c.key, c.benchmark, c.variant) for c in costs if c.value is not None and not c.repeats
    )
    for key, benchmark, variant in uneven:
        a, b = next(
            (c.value, c.again)
            for c in costs
            if (c.key, c.benchmark, c.variant) == (key, benchmark, variant)
        )
        on = f" on {quote(benchmark)}" if benchmark else ""
        yield (
            f"Not exact: {COSTS[key].title} of {quote(variant)}{on}: {value_text(key, a)} in one "
            f"run, {value_text(key, b)} in the next."
        )


# Of a check, which has one pair.


def size_clause(result: Result) -> str:
    """``, for 18 % more code, in `parse` (+4.1 kB)``, where it is not slower and is larger beyond
    the margin; else empty."""
    changes = cost_changes(result)
    slower = any(v.outcome == "slower" for v in result.judged.verdicts)
    size = next((c for c in changes if c.key == "size"), None)
    if slower or size is None or size.outcome != "more":
        return ""
    return f", for {_clause(size, changes, result.found.growth)}"


def check_cost_sentences(result: Result) -> Iterator[str]:
    """The size in any case, then what else certainly costs more or less."""
    changes = cost_changes(result)
    if size := next((c for c in changes if c.key == "size"), None):
        loaded = format_bytes(size.after or 0.0)
        if size.equal:
            yield f"The size is unchanged: {loaded} of code and data."
        elif not size_clause(result):
            before = format_bytes(size.before or 0.0)
            sizes = f"went from {before} to {loaded}" if before != loaded else f"is {loaded}"
            yield f"The size {sizes}: {_clause(size, changes, result.found.growth)}."
    others = [c for c in changes if c.key not in ("size", "code", "rodata", "data", "file")]
    certain = [c for c in others if c.outcome in ("more", "less")]
    if certain:
        texts = [_clause(c, changes, ()) for c in certain]
        yield f"Beside time: {join_words(texts[:_COLUMNS])}."
    yield from unavailable(result.found.costs)


def check_cost_table(result: Result) -> Table | None:
    """A row for each cost; None where nothing is known of any."""
    several = len(result.question.benchmarks) > 1
    medians = medians_of(result)
    rows = []
    for c in cost_changes(result):
        metric = COSTS[c.key].metric
        before, after = c.before, c.after
        if before is None and not several:
            before, after = (medians.get((n, metric)) for n in (c.baseline, c.variant))
        name = Cell(COSTS[c.key].title, c.benchmark or "")
        more = "=" if c.equal else "undecided" if c.outcome == "undecided" else change_text(c.ratio)
        sides = [
            Cell(value_text(c.key, x), number=x) if x is not None else None for x in (before, after)
        ]
        rows.append((name, *sides, Cell(more, number=c.ratio)))
    return table("Head against base", ("cost", *right("base", "head", "change")), rows)


# As a table.


def value_text(key: str, value: float | None) -> str:
    """One value in the unit of its cost."""
    if value is None:
        return "unavailable"
    unit = COSTS[key].unit
    if unit == "bytes":
        return format_bytes(value)
    if unit == "seconds":
        return format_seconds(value)
    return f"{value:.3g} J" if unit == "joules" else format_amount(value)


def cost_table(result: Result, changes: Sequence[CostChange]) -> Table | None:
    """A row for each variant: its time against the main baseline, then its costs.

    A short report has the costs in which variants differ, the largest differences first. Of a cost
    on several benchmarks it is their geometric mean.
    """
    keys = [k for k in COSTS if any(c.key == k for c in changes)]
    whole = _table(result, changes, keys)
    if whole is None or not changes:
        return None
    sizes = dict.fromkeys(keys, 0.0)
    for c in changes:
        if c.outcome in ("more", "less"):
            sizes[c.key] = max(sizes[c.key], abs(_log(c.ratio)))
    # Of the size its parts are in the whole table.
    prices = [k for k in keys if sizes[k] and k not in ("code", "rodata", "data", "file")]
    shown = sorted(prices, key=lambda k: (k not in PRICES, -sizes[k]))[:_COLUMNS]
    shown = shown or [k for k in ("size",) if k in keys]
    short = _table(result, changes, shown)
    if short is None or shown in ([], keys):
        return whole
    drops = {COSTS[k].title: i for i, k in enumerate(shown)}
    columns = tuple(replace(c, drop=drops.get(c.title, 0)) for c in short.columns)
    return replace(whole, short=replace(short, columns=columns))


def _table(result: Result, changes: Sequence[CostChange], keys: Sequence[str]) -> Table | None:
    comparisons, question = Comparisons.of_result(result), result.question
    known = {c.variant for c in costs_of(result)} | {c.variant for c in changes}
    names = [v.name for v in question.measured if v.name not in result.recorded.same]
    baseline_of = {c.variant: c.baseline for c in changes}
    values = _values(result)
    rows = []
    for name in (n for n in names if n in known | set(baseline_of.values())):
        baseline = baseline_of.get(name)
        verdict = comparisons.of(name, baseline) if baseline else None
        time = replace(verdict_cell(verdict), detail="") if verdict else Cell("baseline")
        cells = [_cell(k, [c for c in changes if c.variant == name], values, name) for k in keys]
        rows.append((name, time if verdict or not baseline else None, *cells))
    baselines = list(dict.fromkeys(baseline_of.values()))
    against = f" against {baselines[0]}" if len(baselines) == 1 else " against each baseline"
    columns = ("variant", "time", *right(*(COSTS[k].title for k in keys)))
    return table(f"Time and cost{against}", columns, rows, fixed=2)


def _values(result: Result) -> dict[tuple[str, str], float]:
    """By cost and variant, of those that are not of one benchmark among several."""
    several = len(result.question.benchmarks) > 1
    values = {
        (c.key, c.variant): c.value
        for c in costs_of(result)
        if c.value is not None and not (several and c.benchmark)
    }
    if not several:
        medians = medians_of(result).items()
        values |= {(BY_METRIC[m], name): x for (name, m), x in medians if m in BY_METRIC}
    return values


def _cell(
    key: str, changes: Sequence[CostChange], values: Mapping[tuple[str, str], float], name: str
) -> Cell | None:
    """The value, with how much more that is than the baseline's where it differs."""
    mine, value = [c for c in changes if c.key == key], values.get((key, name))
    logs = [_log(c.ratio) for c in mine]
    text = "" if value is None else value_text(key, value)
    if not mine:
        return Cell(text, number=value) if text else None
    ratio = mine[0].ratio
    if len(mine) > 1:  # of several benchmarks
        ratio = math.exp(sum(logs) / len(logs)) if all(map(math.isfinite, logs)) else math.nan
    more = change_text(ratio)
    outcomes = {c.outcome for c in mine}
    if all(c.equal for c in mine):
        more = "="
    elif len(mine) == 1 and outcomes == {"undecided"}:
        more = "undecided"
    return Cell(text, more, number=ratio) if text else Cell(more, number=ratio)


def change_text(ratio: float) -> str:
    """``+18.0 %``, ``−3.1 %``, ``2.31x``."""
    if not 0 < ratio < math.inf:
        return "from 0" if ratio else "none left"
    if not 0.5 < ratio < 2:
        return f"{ratio:,.0f}x" if ratio >= 100 else f"{ratio:.3g}x"
    digits = 1 if abs(ratio - 1) >= 0.001 or ratio == 1 else 3
    return f"{'+' if ratio >= 1 else '−'}{abs(ratio - 1) * 100:.{digits}f} %"


# As a figure.


def cost_plot(result: Result, changes: Sequence[CostChange]) -> Plot | None:
    """Time against each cost in which variants differ, relative to the baseline at 1, 1; with
    those that nothing beats marked. None below three variants: two are read in the table."""
    comparisons = Comparisons.of_result(result)
    baselines = dict.fromkeys(c.baseline for c in changes)
    if len(baselines) != 1 or result.question.along:
        return None
    (main,) = baselines
    times = {main: 1.0}
    for name in dict.fromkeys(c.variant for c in changes):
        verdict = comparisons.of(name, main)
        if verdict is not None and 0 < verdict.ratio < math.inf:
            times[name] = verdict.ratio
    if len(times) < 3:
        return None
    choices = [c for key in COSTS if (c := _points(key, times, changes, main, result)) is not None]
    return Plot("costs", {"baseline": main, "choices": choices}) if choices else None


def _points(
    key: str, times: dict[str, float], changes: Sequence[CostChange], main: str, result: Result
) -> dict[str, Any] | None:
    mine = [c for c in changes if c.key == key and c.variant in times]
    if not any(c.outcome in ("more", "less") for c in mine):
        return None
    ratios: dict[str, float] = {main: 1.0}
    for name in times:
        logs = [_log(c.ratio) for c in mine if c.variant == name]
        if logs and all(map(math.isfinite, logs)):
            ratios[name] = math.exp(sum(logs) / len(logs))
    best = unbeaten(times, ratios, result.question.margin)
    return {
        "name": COSTS[key].title,
        "points": [
            {
                "name": name,
                "time": times[name],
                "cost": ratios[name],
                "best": name in best,
                "text": f"time {times[name]:.3f}x, {COSTS[key].title} {ratios[name]:.3f}x",
            }
            for name in ratios
        ],
    }
