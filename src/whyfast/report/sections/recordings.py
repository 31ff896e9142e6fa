"""Times of single runs of commands; sentences about a comparison of recorded results."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean, median, stdev

from whyfast.judge.run_confounds import DRIFT, MACHINE
from whyfast.model.result import Result
from whyfast.model.verdict import Suite, Verdict
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections import main_table
from whyfast.report.sections.certainty import warnings_of
from whyfast.report.sections.distribution import mean_without


def run_times_section(result: Result) -> doc.ReportSection | None:
    """Of every command: the runs one by one, whatever disturbed them; None for studies."""
    shown = run_times_table(result) if result.judged.about == "commands" else None
    spread = "σ is the spread of single runs and includes the machine's drift: compare the ratios."
    return doc.detail("run-times", "Single runs", shown, doc.note(spread) if shown else None)


def run_times_table(result: Result) -> doc.Table | None:
    """Mean, deviation, least and most of the runs of each command, or of a loop in each turn."""
    turns = any(b.kind.takes_turns for b in result.question.benchmarks)
    times = fmt.grouped(
        (variant, value / block.loops)
        for block in result.recorded.blocks
        for variant, values in block.values.items()
        for value in values
    )
    rows = []
    for name, values in times.items():
        spread = fmt.seconds(stdev(values)) if len(values) > 1 else None
        mean, least, most = map(fmt.seconds, (fmean(values), min(values), max(values)))
        rows.append((name, mean, spread, least, most, str(len(values))))
    columns = ("variant", *doc.right("mean", "σ", "min", "max", "turns" if turns else "runs"))
    return doc.table(f"Time of a {'loop' if turns else 'run'}", columns, rows)


_MOST_CARRIERS = 3
_MOST_NAMED = 3
#: The median of fewer says nothing that the mean does not.
_FEWEST_FOR_MEDIAN = 3


def recording_sentences(result: Result) -> list[str]:
    """First which is faster, by how much, and how sure that is."""
    margin = result.question.margin
    if not result.judged.verdicts:
        return [_without_speed(result)]
    whole = _whole(result)
    texts = [*_audited(result), _headline(result, whole), *_shared(result, whole)]
    for suite in _suites(result):
        texts += [*_median(result, suite.verdict), *_carried(suite, margin)]
    for head in result.question.variants[1:]:
        mine = _of(result, head.name)
        largest = [
            f"{fmt.quote(v.benchmark or '')} {fmt.text_of(v).factor}"
            for v in main_table.decided(mine)
        ]
        most = f"; most of all {fmt.join(largest[:_MOST_NAMED])}" if largest else ""
        if len(mine) > 1:
            of = f"Of {fmt.pluralize(len(mine), 'benchmark')}, {fmt.quote(head.name)} is"
            texts.append(f"{of} {main_table.tally(mine)}{most}.")
    return texts


def recording_surprises(result: Result) -> list[str]:
    """What neither the headline nor a table of everything says: of a claim the figures, of heads
    with other benchmarks each what they have in common, and what carries a mean or is unlike it."""
    if not result.judged.verdicts:
        return []
    whole, audited = _whole(result), _audited(result)
    texts = [*audited[1:], *([_headline(result, whole)] if audited else [])]
    texts += _shared(result, whole)
    for suite in _suites(result):
        if len(whole) == 1:
            texts += _median(result, suite.verdict, only_unlike=True)
        texts += _carried(suite, result.question.margin)
    return texts


def headline_end(result: Result) -> str:
    """What no headline on recorded runs leaves out: what else could have made the difference."""
    kinds = [c.kind for c in warnings_of(result.judged.confounds)]
    labels = list(dict.fromkeys(MACHINE[kind] for kind in kinds if kind in MACHINE))
    differ = f", and the runs differ in {fmt.join(labels, _MOST_NAMED)}" if labels else ""
    return f"; {DRIFT}{differ}."


def _of(result: Result, head: str) -> list[Verdict]:
    main = result.question.baselines[0]
    return [v for v in result.judged.verdicts if v.variant == head and v.baseline == main]


def _suites(result: Result) -> list[Suite]:
    main = result.question.baselines[0]
    return [s for s in result.judged.suites if s.verdict.baseline == main]


def _audited(result: Result) -> Sequence[str]:
    """The outcome of the audit of a claim, and its figures."""
    audit = main_table.audit_claim(result)
    margin = result.question.margin
    return (
        [main_table.audit_headline(audit, margin), *main_table.audit_intervals(audit, margin)]
        if audit
        else []
    )


def _whole(result: Result) -> list[Verdict]:
    """The overall verdict of each head, in the order of the files."""
    suites = {s.verdict.variant: s.verdict for s in _suites(result)}
    heads = (v.name for v in result.question.variants[1:])
    return [suites.get(name) or _of(result, name)[0] for name in heads]


def _headline(result: Result, whole: Sequence[Verdict]) -> str:
    base, margin, end = fmt.quote(whole[0].baseline), result.question.margin, headline_end(result)
    benchmarks = [[v.benchmark or "" for v in _of(result, w.variant)] for w in whole]
    overs = [
        f"over {fmt.pluralize(len(names), 'benchmark')}"
        if len(names) > 1
        else f"on {fmt.quote(names[0])}"
        for names in benchmarks
    ]
    if len(whole) == 1:
        (v,) = whole
        text = f"{fmt.quote(v.variant)} is {fmt.verdict(v, margin, 'clause')}"
        if v.outcome == "undecided":
            text = fmt.no_difference(v, fmt.quote(v.variant), base)
        return f"{text}, {overs[0]}{end}"
    parts = [f"{fmt.quote(v.variant)} {fmt.verdict(v, margin)}" for v in whole]
    if len(set(map(frozenset, benchmarks))) == 1:
        return f"Against {base}, {overs[0]}: {'; '.join(parts)}{end}"
    parts = [f"{part}, {over}" for part, over in zip(parts, overs, strict=True)]
    return f"Against {base}: {'; '.join(parts)}{end}"


def _shared(result: Result, whole: Sequence[Verdict]) -> Iterable[str]:
    """Files with different benchmarks, compared over the benchmarks in all of them."""
    ratios = {w.variant: {v.benchmark: v.ratio for v in _of(result, w.variant)} for w in whole}
    common = set.intersection(*map(set, ratios.values()))
    if not common:
        yield "No benchmark is in all files."
    elif any(len(own) > len(common) for own in ratios.values()):
        logs = {head: [math.log(own[name]) for name in common] for head, own in ratios.items()}
        means = {head: fmt.exact_text(math.exp(fmean(own))).factor for head, own in logs.items()}
        parts = ", ".join(f"{fmt.quote(head)} {mean}" for head, mean in means.items())
        yield f"Over the {fmt.pluralize(len(common), 'benchmark')} in all files: {parts}."


def _median(result: Result, verdict: Verdict, *, only_unlike: bool = False) -> Iterable[str]:
    """The median of the ratios, and its interval: of the least that each may be the median, and of
    the most. It is unlike the mean where their intervals do not meet."""
    verdicts = _of(result, verdict.variant)
    if len(verdicts) < _FEWEST_FOR_MEDIAN:
        return
    middle = math.exp(median(math.log(v.ratio) for v in verdicts))
    low, high = median(v.low for v in verdicts), median(v.high for v in verdicts)
    unlike = high < verdict.low or verdict.high < low
    if unlike or not only_unlike:
        text = f"The median benchmark of {fmt.quote(verdict.variant)} is"
        end = ", unlike the geometric mean" if unlike else ""
        yield f"{text} {fmt.ratio_text(middle, low, high)}{end}."


def _without_speed(result: Result) -> str:
    """Of files that hold no times and no rates."""
    words = {"faster": "better", "slower": "worse", "same": "the same", "undecided": "undecided"}
    outcomes = Counter[str](v.outcome for v in result.judged.metrics)
    if not outcomes:
        return "No benchmark has a time, and no quantity can be compared."
    parts = [f"{text} in {outcomes[word]}" for word, text in words.items() if outcomes[word]]
    base, *heads = (v.name for v in result.question.variants)
    return (
        f"No benchmark has a time. Of {fmt.pluralize(outcomes.total(), 'quantity')}, "
        f"{fmt.quoted(heads)} is {fmt.join(parts)}, against {fmt.quote(base)}."
    )


def _carried(suite: Suite, margin: float) -> Iterable[str]:
    verdict = suite.verdict
    variant, mean = fmt.quote(verdict.variant), fmt.text_of(verdict).factor
    for carrier in suite.carriers[:_MOST_CARRIERS]:
        share = "sways"
        if 0 < carrier.share < 1:
            share = f"carries {fmt.percent(round(carrier.share, 2))} of"
        text = (
            f"{fmt.quote(carrier.benchmark)} alone {share} {variant}'s {mean}: without it the "
            f"geometric mean is {mean_without(verdict, carrier.without)}"
        )
        if carrier.outcome != verdict.outcome:
            same = f"the same within {fmt.percent(margin)}"
            text += f", and the verdict is {same if carrier.outcome == 'same' else carrier.outcome}"
        yield f"{text}."
    if (rest := len(suite.carriers) - _MOST_CARRIERS) > 0:
        yield (
            f"{fmt.pluralize(rest, 'further benchmark')} each carry more than a third of "
            f"{variant}'s mean, or its verdict."
        )
