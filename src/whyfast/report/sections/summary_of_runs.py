"""The first screen of commands side by side and of recorded results."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from whyfast.model.result import Result
from whyfast.model.study import Commands, Recordings
from whyfast.model.verdict import METRICS, Outcome, Verdict
from whyfast.report.document import Bar, Cell, Row, Summary, Table, right, table
from whyfast.report.formatting import (
    format_percent,
    format_seconds,
    has,
    join_words,
    pluralize,
    quote,
    ratio_text,
)
from whyfast.report.sections.certainty import more_or_less, shell_sentences
from whyfast.report.sections.claim_audit import audit_claim
from whyfast.report.sections.distribution import influence_sentences
from whyfast.report.sections.each_benchmark import benchmark_times
from whyfast.report.sections.main_table import SUITE, Comparisons, failed_sentences, value_text
from whyfast.report.sections.recordings import headline_end, recording_surprises
from whyfast.report.sections.summary import (
    against_cell,
    bar_cell,
    line_cell,
    reach_of,
    warnings_first,
)
from whyfast.report.sections.timeline import unusual_sentences

_WORDS: tuple[Outcome, ...] = ("faster", "slower", "same", "undecided")
#: So many names are listed, quantities beside time told, and sentences made on what is unusual.
_NAMES, _QUANTITIES, _SAID = 3, 3, 2
#: A longer name of a baseline does not stand in a heading.
_LONG_NAME = 24
#: Whose bars and times give way, where there is little room.
_DROP_FEW, _DROP_TIMES = 2, 1


def runs_screen(result: Result) -> Summary | None:
    """Of commands and recorded results with a verdict on time; None for others.

    Of two sides each benchmark is a row, of a single benchmark each side; of several sides each of
    them is a row, and the headline leaves the figures to the table.
    """
    if not isinstance(result.question, (Commands, Recordings)) or not result.judged.verdicts:
        return None
    if result.found.check is not None:
        return None
    main = result.question.baselines[0]
    comparisons = Comparisons(result.judged.verdicts, result.judged.suites)
    heads = [v.name for v in result.question.variants if comparisons.of(v.name, main) is not None]
    mine = _judged(result)
    if not mine:
        return None
    several = len(heads) > 1
    if several:
        row, found = "row", _sides(result, comparisons, heads)
    elif len(mine) > 1:
        row, found = "benchmark", _benchmarks(result, mine)
    else:
        row, found = "row", _times(result, mine)
    audited = audit_claim(result.question, comparisons, ()) is not None
    return Summary(
        said=tuple(_surprises(result)),
        table=found[0],
        ranks=found[1],
        care=tuple(_care(result)),
        row=row,
        headline=_headline(result, comparisons, heads) if several and not audited else "",
    )


def _judged(result: Result) -> list[Verdict]:
    """On single benchmarks against the main baseline."""
    main = result.question.baselines[0]
    return [v for v in result.judged.verdicts if v.baseline == main and v.benchmark is not None]


def _headline(result: Result, comparisons: Comparisons, heads: Sequence[str]) -> str:
    """Who is faster and who slower, in words: the table has by how much."""
    main = result.question.baselines[0]
    overall = {n: v for n in heads if (v := comparisons.of(n, main)) is not None}
    parts = []
    for outcome in _WORDS:
        names = [n for n in heads if overall[n].outcome == outcome]
        names.sort(key=lambda n: -abs(math.log(overall[n].ratio)) if overall[n].ratio > 0 else 0)
        if names:
            parts.append(_named(names, outcome, len(heads)))
    sets = {n: {v.benchmark for v in _judged(result) if v.variant == n} for n in heads}
    of = len(next(iter(sets.values())))
    alike = of > 1 and all(one == sets[heads[0]] for one in sets.values())
    over = f", over {pluralize(of, 'benchmark')}" if alike else ""
    recorded = isinstance(result.question, Recordings)
    end = headline_end(result) if recorded else "."
    start = "" if result.recorded.complete else "The run is not complete. So far: "
    return f"{start}Against {quote(main)}{over}: {', '.join(parts)}{end}"


def _named(names: Sequence[str], outcome: Outcome, of: int) -> str:
    said = "the same" if outcome == "same" else outcome
    if len(names) <= _NAMES:
        return f"{has([quote(n) for n in names], 'is', 'are')} {said}"
    most = f", most of all {quote(names[0])}" if outcome in ("faster", "slower") else ""
    return f"{f'all {of}' if len(names) == of else f'{len(names)} of {of}'} are {said}{most}"


def _sides(
    result: Result, comparisons: Comparisons, heads: Sequence[str]
) -> tuple[Table | None, tuple[int, ...]]:
    """A row a side, the fastest first."""
    main = result.question.baselines[0]
    found = {n: v for n in heads if (v := comparisons.of(n, main)) is not None}
    names = sorted((main, *heads), key=lambda n: found[n].ratio if n in found else 1.0)
    only = result.question.benchmarks[0].name if len(result.question.benchmarks) == 1 else None
    times = benchmark_times(result) if only else {}
    words: dict[str, Counter[Outcome]] = defaultdict(Counter)
    for v in _judged(result):
        words[v.variant][v.outcome] += 1
    reach = reach_of(found.values())
    rows: list[Row] = [
        (
            name,
            *((_time(result, times, only, name),) if only else ()),
            against_cell(comparisons, name, main),
            *(() if only else (_tally(words[name]),)),
            bar_cell(found.get(name), reach),
        )
        for name in names
    ]
    more = () if only else ("its benchmarks",)
    columns = ("", *right(*(("time",) if only else ())), _against(main), *more, "")
    caption = f"Time on {only}" if only else f"Time, {SUITE}"
    made = table(f"{caption}{_intervals(found.values())}", columns, rows)
    ends = sorted(found, key=lambda n: -abs(math.log(found[n].ratio)) if found[n].ratio > 0 else 0)
    order = {name: i for i, name in enumerate((main, *ends))}
    return made and _giving_way(made, {"its benchmarks": _DROP_FEW}), tuple(
        order[name] for name in names
    )


def _benchmarks(result: Result, mine: Sequence[Verdict]) -> tuple[Table | None, tuple[int, ...]]:
    """A row a benchmark, the fastest first."""
    base, head = mine[0].baseline, mine[0].variant
    times = benchmark_times(result)
    timed = [n for n in (base, head) if any((v.benchmark or "", n) in times for v in mine)]
    ordered = sorted(mine, key=lambda v: v.ratio)
    reach = reach_of(ordered)
    rows: list[Row] = [
        (
            v.benchmark or "",
            *(_time(result, times, v.benchmark, n) for n in timed),
            line_cell(v),
            bar_cell(v, reach),
        )
        for v in ordered
    ]
    tally = _tally(Counter(v.outcome for v in mine))
    caption = f"Each of {len(mine)} benchmarks: {tally}{_intervals(mine)}"
    summary = {base: "first", head: "second"}
    titles = [n if len(n) <= _LONG_NAME else summary[n] for n in timed]
    made = table(caption, ("benchmark", *right(*titles), _against(base), ""), rows)
    apart = sorted(
        range(len(ordered)),
        key=lambda i: (
            ordered[i].outcome not in ("faster", "slower"),
            -abs(math.log(ordered[i].ratio)) if ordered[i].ratio > 0 else 0.0,
        ),
    )
    ranks = [0] * len(ordered)
    for rank, i in enumerate(apart):
        ranks[i] = rank
    return made and _giving_way(made, dict.fromkeys(titles, _DROP_TIMES)), tuple(ranks)


def _times(result: Result, mine: Sequence[Verdict]) -> tuple[Table | None, tuple[int, ...]]:
    """A row a side with the times of its runs: the headline has the ratio."""
    verdict = mine[0]
    sides = (verdict.baseline, verdict.variant)
    means = benchmark_times(result)
    most = max((means.get((verdict.benchmark or "", n), 0.0) for n in sides), default=0.0)
    rows = []
    for name in sides:
        mean = means.get((verdict.benchmark or "", name))
        if mean is not None:
            bar = Cell("", bar=Bar(0.0, mean / most if most else 0.0))
            time = _time(result, means, verdict.benchmark, name)
            rows.append((name, time, *_spread(result, verdict, name), bar))
    recorded = result.judged.about == "runs"
    columns = right(*(("mean", "processes") if recorded else ("median", "least", "most", "values")))
    caption = f"Time on {verdict.benchmark}{_intervals(mine)}"
    made = table(caption, ("", *columns, ""), rows)
    return made and _giving_way(made, {"values": _DROP_TIMES}), tuple(0 for _ in rows)


def _spread(result: Result, verdict: Verdict, name: str) -> tuple[Cell | int, ...]:
    """The least and the most of one side, and how many there are; of recorded runs the latter."""
    about = result.judged.about
    if about == "runs":
        return (verdict.blocks,)
    values = [
        value / block.loops
        for block in result.recorded.blocks
        if block.benchmark == verdict.benchmark
        for value in block.values.get(name, ())
    ]
    ends = (min(values), max(values))
    return *(Cell(value_text(end, about), number=end) for end in ends), len(values)


def _giving_way(made: Table, drops: dict[str, int]) -> Table:
    heads = tuple(replace(c, drop=drops.get(c.title, 0)) for c in made.columns)
    return replace(made, columns=heads)


def _against(baseline: str) -> str:
    return f"against {baseline}" if len(baseline) <= _LONG_NAME else "against the baseline"


def _time(
    result: Result,
    times: Mapping[tuple[str, str], float],
    benchmark: str | None,
    name: str,
) -> Cell | None:
    value = times.get((benchmark or "", name))
    return None if value is None else Cell(value_text(value, result.judged.about), number=value)


def _tally(words: Counter[Outcome]) -> str:
    named = {"same": "the same"}
    return join_words([f"{named.get(w, w)} on {words[w]}" for w in _WORDS if words[w]]) or "–"


def _intervals(said: Iterable[Verdict]) -> str:
    confidence = math.floor(min(v.confidence for v in said) * 1000) / 1000
    return f"; {format_percent(confidence)} intervals"


def _surprises(result: Result) -> Iterator[str]:
    """What one would not guess from the headline and the table."""
    if isinstance(result.question, Recordings):
        yield from recording_surprises(result)
    else:
        yield from shell_sentences(result)
        yield from _longer(result)
        yield from unusual_sentences(result.judged.verdicts)[:_SAID]
        yield from influence_sentences(result.judged.suites, result.question)[:_SAID]
    yield from _beside_time(result)


def _longer(result: Result) -> Iterator[str]:
    """Of several undecided sides how much longer would decide; of one the headline says it."""
    left = [v.seconds_to_margin for v in result.judged.verdicts if v.outcome == "undecided"]
    known = [seconds for seconds in left if seconds is not None and math.isfinite(seconds)]
    if len(known) > 1:
        margin = format_percent(result.question.margin)
        yield f"About {format_seconds(max(known))} more would tell {margin} in all of them."


def _beside_time(result: Result) -> Iterator[str]:
    """Of other quantities those that certainly differ, a sentence a side, the largest first."""
    decided = [
        v for v in result.judged.metrics if v.outcome in ("faster", "slower") and v.ratio > 0
    ]
    decided.sort(key=lambda v: -abs(math.log(v.ratio)))
    for name in dict.fromkeys(v.variant for v in decided):
        mine = [v for v in decided if v.variant == name]
        parts = [_quantity(v) for v in mine[:_QUANTITIES]]
        more = f"; {len(mine) - _QUANTITIES} more differ" if len(mine) > _QUANTITIES else ""
        yield f"Beside time, {quote(name)} has {join_words(parts)}{more}."


def _quantity(v: Verdict) -> str:
    text = ratio_text(v.ratio, v.low, v.high)
    return f"{more_or_less(text, v.metric)} {METRICS.get(v.metric, v.metric)}"


def _care(result: Result) -> Iterator[str]:
    # The headline has that drift is not excluded.
    drift = [c for c in result.judged.confounds if c.kind == "session-drift"]
    quoted, notes = warnings_first([c for c in result.judged.confounds if c not in drift])
    yield from quoted
    if any(c.severity == "warning" for c in drift):
        yield "How far apart runs of one build lie here, reruns given as --noise would show."
    yield from failed_sentences(result.recorded.failed)
    yield from notes
