"""Time and cost: what each variant costs beside time, and where that goes against its gain."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from whyfast.judge.judge_run import BY_METRIC, cost_changes, costs_of, unbeaten
from whyfast.model.cost import COSTS, CostChange, SizeChange, VariantCost
from whyfast.model.result import Result
from whyfast.model.verdict import Verdict
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections.certainty import medians_of
from whyfast.report.sections.changed_code import reason_text
from whyfast.report.sections.dispatching import replication_sentences
from whyfast.report.sections.main_table import decided, verdict_cell

#: What is a price of speed, and not its cause: fewer instructions are none.
PRICES = (
    *("size", "allocated", "peak-heap", "left-over", "peak-memory", "user"),
    *("energy", "build-time", "build-memory"),
)
#: The parts of the size, which a short report leaves out.
SIZE_PARTS = ("code", "rodata", "data", "file")


#: Costs that are columns of a short table, at most; prices and functions in a sentence.
_COLUMNS, _PRICES, _NAMES = 5, 2, 2
_SENTENCES = 3
#: Bytes of peak memory below which nobody buys or sells speed: a few hundred pages.
_LEAST_MEMORY = 1e6
#: The share of what code grew by that the functions in a sentence carry.
_CARRIED = 0.5


def cost_section(result: Result) -> doc.ReportSection | None:
    """The table of time and cost, with the figure; what is unavailable, once each."""
    changes = cost_changes(result)
    return doc.section(
        "costs",
        "Time and cost",
        cost_table(result, changes),
        cost_plot(result, changes),
        doc.sentences([*replication_sentences(result), *unavailable(result.found.costs)]),
    )


# In sentences.


def cost_sentences(result: Result) -> Iterator[str]:
    """One sentence for each variant whose cost goes against its gain: it is faster, or as fast, and
    costs more; or slower, and costs less. Undecided, of costs that the study names."""
    overall, medians = result.judged.overall, medians_of(result)
    texts: list[tuple[float, str]] = []
    pairs = fmt.grouped(((c.variant, c.baseline), c) for c in cost_changes(result))
    main = result.question.baselines[0]
    certain = decided(overall(v.name, main) for v in result.question.variants)
    for (variant, baseline), mine in pairs.items():
        verdict = overall(variant, baseline)
        if verdict is None:
            continue
        asked = mine
        if verdict.outcome == "undecided":
            asked = [c for c in mine if c.key in result.question.costs.margins]
        prices = fmt.grouped((c.key, c) for c in asked if _goes_against(c, verdict, medians))
        # Each on the benchmark where it differs most.
        worst = (max(every, key=lambda c: abs(_log(c.ratio))) for every in prices.values())
        if against := [*worst][:_PRICES]:
            clauses = [_clause(c, mine, result.found.growth) for c in against]
            # Of one pair, or the only one that is decided, the sentence before has the verdict.
            alone = len(pairs) == 1 or verdict.outcome == "undecided" or certain == [verdict]
            start = f"{fmt.quote(variant)} has" if alone else _gain(verdict)
            text = f"{start} {fmt.join(clauses)}{_uncounted(result, variant, baseline)}."
            texts.append((max(abs(_log(c.ratio)) for c in against), text))
    texts.sort(key=lambda t: -t[0])
    yield from (text for _, text in texts[:_SENTENCES])
    if (more := len(texts) - _SENTENCES) > 0:
        gain = "gains" if more == 1 else "gain"
        yield f"{fmt.pluralize(more, 'more variant')} {gain} at a cost, or the other way round."


def _goes_against(
    change: CostChange, verdict: Verdict, medians: Mapping[tuple[str, str], float]
) -> bool:
    """Whether that cost is a price of that verdict, and large enough to be one."""
    wanted = "less" if verdict.outcome == "slower" else "more"
    if change.key not in PRICES or change.outcome != wanted:
        return False
    if change.key == "peak-memory":
        sides = [medians.get((name, "maxrss"), 0.0) for name in (change.variant, change.baseline)]
        return abs(sides[0] - sides[1]) >= _LEAST_MEMORY
    # Of user time where less wall time was bought with it.
    return change.key != "user" or verdict.outcome == "faster"


def _uncounted(result: Result, variant: str, baseline: str) -> str:
    """Libraries of the system that only one side has in its own file."""
    sizes = {c.variant: c for c in result.found.costs if c.key == "size"}
    notes = {name: sizes[name].note for name in (variant, baseline) if name in sizes}
    if len(set(notes.values())) < 2:
        return ""
    loads = [f"{fmt.quote(name)} loads {note}" for name, note in notes.items() if note]
    return f" ({fmt.join(loads)}, which is not counted)"


def _log(ratio: float) -> float:
    return math.log(ratio) if 0 < ratio < math.inf else math.inf


def _gain(verdict: Verdict) -> str:
    name, baseline = fmt.quote(verdict.variant), fmt.quote(verdict.baseline)
    if verdict.outcome == "same":
        return f"{name} is as fast as {baseline}, for"
    word = "for" if verdict.outcome == "faster" else "with"
    return f"{name} is {fmt.text_of(verdict).factor} than {baseline}, {word}"


def _clause(change: CostChange, mine: Sequence[CostChange], growth: Sequence[SizeChange]) -> str:
    """``18 % more code, in `parse` (+4.1 kB)``. Of the size, that of its parts which carries it."""
    if change.key != "size":
        several = len({c.benchmark for c in mine if c.benchmark}) > 1
        where = f" on {fmt.quote(change.benchmark)}" if change.benchmark and several else ""
        return f"{more_text(change)} {COSTS[change.key].noun}{where}"
    sign = 1.0 if _more(change) >= 0 else -1.0
    parts = [c for c in mine if c.key in ("code", "rodata", "data")]
    part = max(parts, key=lambda c: _more(c) * sign, default=change)
    kind = "function" if part.key == "code" else "data"
    places = list(_places(part, [g for g in growth if g.of == kind]))
    text = f"{more_text(part)} {COSTS[part.key].noun}"
    return f"{text}, in {fmt.join(places)}" if places else text


def _more(change: CostChange) -> float:
    return (change.after or 0.0) - (change.before or 0.0)


def _places(change: CostChange, growth: Sequence[SizeChange]) -> Iterator[str]:
    """The few functions or data that carry half of a change; nothing where it is spread."""
    sign = 1.0 if _more(change) >= 0 else -1.0
    least = _CARRIED * abs(_more(change))
    mine = [g for g in growth if (g.variant, g.baseline) == (change.variant, change.baseline)]
    most = sorted(mine, key=lambda g: -g.more * sign)[:_NAMES]
    if len(most) > 1 and most[0].more * sign >= least:
        most = most[:1]
    for g in most if sum(g.more * sign for g in most) >= least else ():
        bytes_more = f"{'+' if g.more > 0 else '−'}{fmt.size(abs(g.more))}"
        instances = g.number > 1 and "<…>" in g.name
        text = reason_text(g) or (f"{g.number} of them" if instances else "")
        yield f"{fmt.as_code(g.name)} ({bytes_more}{f', {text}' if text else ''})"


def more_text(change: CostChange) -> str:
    """``18 % more``, ``2.31x less``; of a number ``fewer``."""
    ratio = change.ratio
    if not 0 < ratio < math.inf:
        return "some" if ratio else "no"
    less = "fewer" if COSTS[change.key].unit == "number" else "less"
    factor = max(ratio, 1 / ratio)
    text = _factor(factor) if factor >= 2 else fmt.rough(abs(ratio - 1))
    return f"{text} {'more' if ratio > 1 else less}"


def unavailable(costs: Sequence[VariantCost]) -> Iterator[str]:
    """Why costs are not known, each reason once; and what does not repeat."""
    every = {c.variant for c in costs}
    reasons = fmt.grouped((c.note, c) for c in costs if c.value is None and c.note)
    for note, mine in reasons.items():
        titles = list(dict.fromkeys(COSTS[c.key].title for c in mine))
        names = dict.fromkeys(c.variant for c in mine)
        of = "" if names.keys() == every else f" of {fmt.quoted(names)}"
        yield f"Unavailable: {fmt.join(titles)}{of}: {note}."
    for c in costs:
        if c.value is not None and not c.repeats:
            on = f" on {fmt.quote(c.benchmark)}" if c.benchmark else ""
            yield (
                f"Not exact: {COSTS[c.key].title} of {fmt.quote(c.variant)}{on}: "
                f"{value_text(c.key, c.value)} in one run, {value_text(c.key, c.again)} in the "
                "next."
            )


# Of a check, which has one pair.


def size_clause(result: Result) -> str:
    """``, for 18 % more code, in `parse` (+4.1 kB)``, where that is the price; else empty."""
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
        loaded = fmt.size(size.after or 0.0)
        if size.equal:
            yield f"The size is unchanged: {loaded} of code and data."
        elif not size_clause(result):
            before = fmt.size(size.before or 0.0)
            sizes = f"went from {before} to {loaded}" if before != loaded else f"is {loaded}"
            yield f"The size {sizes}: {_clause(size, changes, result.found.growth)}."
    others = [c for c in changes if c.key not in ("size", *SIZE_PARTS)]
    texts = [_clause(c, changes, ()) for c in others if c.outcome in ("more", "less")]
    if texts:
        yield f"Beside time: {fmt.join(texts[:_COLUMNS])}."
    yield from unavailable(result.found.costs)


def check_cost_table(result: Result) -> doc.Table | None:
    """A row for each cost; None where nothing is known of any."""
    several = len(result.question.benchmarks) > 1
    medians = medians_of(result)
    rows = []
    for c in cost_changes(result):
        before, after, metric = c.before, c.after, COSTS[c.key].metric
        if before is None and not several:
            before, after = (medians.get((n, metric)) for n in (c.baseline, c.variant))
        name = doc.Cell(COSTS[c.key].title, c.benchmark or "")
        more = "=" if c.equal else "undecided" if c.outcome == "undecided" else change_text(c.ratio)
        cells = (doc.value_cell(x, partial(value_text, c.key)) for x in (before, after))
        rows.append((name, *cells, doc.Cell(more, number=c.ratio)))
    return doc.table("Head against base", ("cost", *doc.right("base", "head", "change")), rows)


# As a table.


def value_text(key: str, value: float | None) -> str:
    """One value in the unit of its cost."""
    if value is None:
        return "unavailable"
    units = {"bytes": fmt.size, "seconds": fmt.seconds, "joules": "{:.3g} J".format}
    return units.get(COSTS[key].unit, fmt.amount)(value)


def cost_table(result: Result, changes: Sequence[CostChange]) -> doc.Table | None:
    """A row for each variant: its time against the main baseline, then its costs.

    A short report has the costs in which variants differ, the largest differences first. Of a cost
    on several benchmarks it is their geometric mean.
    """
    keys = [k for k in COSTS if any(c.key == k for c in changes)]
    certain = fmt.grouped(
        (c.key, abs(_log(c.ratio))) for c in changes if c.outcome in ("more", "less")
    )
    sizes = {key: max(logs) for key, logs in certain.items()}
    # Of the size its parts are in the whole table.
    prices = [k for k in keys if sizes.get(k) and k not in SIZE_PARTS]
    shown = sorted(prices, key=lambda k: (k not in PRICES, -sizes[k]))[:_COLUMNS]
    shown = shown or [k for k in ("size",) if k in keys]
    drops = {COSTS[k].title: i for i, k in enumerate(shown)}
    few = None if shown in ([], keys) else _table(result, changes, shown, drops)
    return doc.with_short(_table(result, changes, keys) if changes else None, few)


def _table(
    result: Result,
    changes: Sequence[CostChange],
    keys: Sequence[str],
    drops: Mapping[str, int] | None = None,
) -> doc.Table | None:
    question = result.question
    known = {c.variant for c in costs_of(result)} | {c.variant for c in changes}
    names = [v.name for v in question.measured if v.name not in result.recorded.same]
    baseline_of = {c.variant: c.baseline for c in changes}
    # By cost and variant, of those that are not of one benchmark among several.
    several = len(question.benchmarks) > 1
    own = [c for c in costs_of(result) if not (several and c.benchmark)]
    values = {(c.key, c.variant): c.value for c in own if c.value is not None}
    if not several:
        medians = medians_of(result).items()
        values |= {(BY_METRIC[m], name): x for (name, m), x in medians if m in BY_METRIC}
    rows = []
    for name in (n for n in names if n in known | set(baseline_of.values())):
        baseline = baseline_of.get(name)
        verdict = result.judged.overall(name, baseline) if baseline else None
        time = replace(verdict_cell(verdict), detail="") if verdict else doc.Cell("baseline")
        cells = [_cell(k, [c for c in changes if c.variant == name], values, name) for k in keys]
        rows.append((name, time if verdict or not baseline else None, *cells))
    baselines = list(dict.fromkeys(baseline_of.values()))
    against = baselines[0] if len(baselines) == 1 else "each baseline"
    columns = ("variant", "time", *doc.right(*(COSTS[k].title for k in keys)))
    return doc.table(f"Time and cost against {against}", columns, rows, fixed=2, drops=drops)


def _cell(
    key: str, changes: Sequence[CostChange], values: Mapping[tuple[str, str], float], name: str
) -> doc.Cell | None:
    """The value, with how much more that is than the baseline's where it differs."""
    mine, value = [c for c in changes if c.key == key], values.get((key, name))
    if not mine:
        return doc.value_cell(value, partial(value_text, key))
    ratio = mine[0].ratio if len(mine) == 1 else _mean(mine)
    more = change_text(ratio)
    if all(c.equal for c in mine):
        more = "="
    elif [c.outcome for c in mine] == ["undecided"]:
        more = "undecided"
    texts = (more, "") if value is None else (value_text(key, value), more)
    return doc.Cell(*texts, number=ratio)


def _mean(changes: Sequence[CostChange]) -> float:
    logs = [_log(c.ratio) for c in changes]
    return math.exp(sum(logs) / len(logs)) if logs and all(map(math.isfinite, logs)) else math.nan


def change_text(ratio: float) -> str:
    """``+18.0 %``, ``−3.1 %``, ``2.31x``."""
    if not 0 < ratio < math.inf:
        return "from 0" if ratio else "none left"
    if not 0.5 < ratio < 2:
        return _factor(ratio)
    digits = 1 if abs(ratio - 1) >= 0.001 or ratio == 1 else 3
    return f"{'+' if ratio >= 1 else '−'}{abs(ratio - 1) * 100:.{digits}f} %"


# As a figure.


def _factor(ratio: float) -> str:
    return f"{ratio:,.0f}x" if ratio >= 100 else f"{ratio:.3g}x"


def cost_plot(result: Result, changes: Sequence[CostChange]) -> doc.Plot | None:
    """Time against each cost in which variants differ, relative to the baseline at 1, 1; with
    those that nothing beats marked. None below three variants: two are read in the table."""
    baselines = dict.fromkeys(c.baseline for c in changes)
    if len(baselines) != 1 or result.question.along:
        return None
    (main,) = baselines
    names = dict.fromkeys(c.variant for c in changes)
    verdicts = (result.judged.overall(name, main) for name in names)
    known = (v for v in verdicts if v is not None and 0 < v.ratio < math.inf)
    times = {main: 1.0, **{v.variant: v.ratio for v in known}}
    choices = [c for key in COSTS if (c := _points(key, times, changes, main, result)) is not None]
    shown = choices and len(times) >= 3
    return doc.Plot("costs", {"baseline": main, "choices": choices}) if shown else None


def _points(
    key: str, times: dict[str, float], changes: Sequence[CostChange], main: str, result: Result
) -> dict[str, Any] | None:
    mine = [c for c in changes if c.key == key and c.variant in times]
    if not any(c.outcome in ("more", "less") for c in mine):
        return None
    means = {name: _mean([c for c in mine if c.variant == name]) for name in times}
    ratios = {main: 1.0, **{name: mean for name, mean in means.items() if mean == mean}}
    best, title = unbeaten(times, ratios, result.question.margin), COSTS[key].title
    points = [
        {
            "name": name,
            "time": times[name],
            "cost": cost,
            "best": name in best,
            "text": f"time {times[name]:.3f}x, {title} {cost:.3f}x",
        }
        for name, cost in ratios.items()
    ]
    return {"name": title, "points": points}
