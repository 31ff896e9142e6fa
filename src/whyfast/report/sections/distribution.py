"""The distribution of a suite's benchmarks; which of them decide its geometric mean."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from whyfast.judge.comparisons import carriers
from whyfast.model.result import Result
from whyfast.model.study import Question
from whyfast.model.verdict import Carrier, Outcome, Suite, Verdict
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections.main_table import SUITE

_COLUMNS = ("variant", "best", "worst", "faster", "slower", "by estimate")
_EXPLAINED = (
    "faster and slower: the share of benchmarks with that verdict; by estimate: the number with "
    "a ratio below / above 1, certain or not."
)


@dataclass(frozen=True)
class Distribution:
    """One variant against one baseline over two or more benchmarks: their ``verdicts``, the fastest
    first; ``suite``, None while some benchmark has no result; ``carriers``, without which the mean
    or its verdict would differ, the most influential first."""

    variant: str
    baseline: str
    verdicts: tuple[Verdict, ...]
    suite: Suite | None
    carriers: tuple[Carrier, ...]

    @property
    def best(self) -> Verdict:
        """The benchmark on which the variant does best."""
        return self.verdicts[0]

    @property
    def worst(self) -> Verdict:
        """The benchmark on which it does worst."""
        return self.verdicts[-1]

    @property
    def words(self) -> Mapping[Outcome, int]:
        """How many benchmarks have each verdict."""
        return Counter(v.outcome for v in self.verdicts)

    @property
    def gained(self) -> int:
        """Benchmarks whose estimate is faster, certain or not."""
        return sum(v.ratio < 1 for v in self.verdicts)

    @property
    def lost(self) -> int:
        """Benchmarks whose estimate is slower, certain or not."""
        return sum(v.ratio > 1 for v in self.verdicts)


def distributions(result: Result) -> tuple[Distribution, ...]:
    """One for each pair with two or more judged benchmarks, in the order of the study."""
    pairs = fmt.grouped(
        ((v.baseline, v.variant), v)
        for v in result.judged.verdicts
        if v.benchmark is not None and plottable(v.ratio)
    )
    suites = {(s.verdict.baseline, s.verdict.variant): s for s in result.judged.suites}
    order = {v.name: i for i, v in enumerate(result.question.variants)}
    return tuple(
        Distribution(
            pair[1],
            pair[0],
            tuple(sorted(pairs[pair], key=lambda v: v.ratio)),
            suites.get(pair),
            suite_carriers(suites.get(pair), result.question.margin),
        )
        for pair in sorted(pairs, key=lambda p: [order.get(name, len(order)) for name in p])
        if len(pairs[pair]) > 1
    )


def suite_carriers(suite: Suite | None, margin: float) -> tuple[Carrier, ...]:
    """The benchmarks that decide the verdict on a geometric mean. Of a difference: those that make
    more than a third of it, or without which it would turn. Of "same": those without which the
    estimate lies beyond ``margin`` (relative)."""
    if suite is None or suite.verdict.outcome == "undecided" or suite.verdict.ratio <= 0:
        return ()
    same = suite.verdict.outcome == "same"

    def outcome(log_ratio: float) -> Outcome:
        """Without an interval, a difference stays one while it points the same way."""
        if same and abs(log_ratio) <= math.log1p(margin):
            return "same"
        return "slower" if log_ratio > 0 else "faster"

    logs = {b: math.log(ratio) for b, ratio in suite.influence.items() if ratio > 0}
    without = {b: (log, outcome(log)) for b, log in logs.items()}
    every = carriers(suite.verdict, without, margin)
    return tuple(c for c in every if c.outcome != "same") if same else every


def influence_sentences(suites: Sequence[Suite], study: Question) -> list[str]:
    """One for each mean against the main baseline, and for the claimed gain, of which a single
    benchmark makes more than a third, or without which the verdict would differ."""
    claimed = (study.claim.variant, study.claim.baseline) if study.claim else None
    texts = []
    for suite in suites:
        v, main = suite.verdict, suite.verdict.baseline in study.baselines[:1]
        for carrier in suite_carriers(suite, study.margin)[:1]:
            if not main and (v.variant, v.baseline) != claimed:
                continue
            mean = f"the {SUITE} of {fmt.quote(v.variant)}"
            mean += "" if main else f" against {fmt.quote(v.baseline)}"
            if v.outcome == "same":
                mean = f"keeps {mean} within {fmt.percent(study.margin)}"
            elif carrier.share > 0:
                mean = f"carries {carrier.share:.0%} of {mean}"
            else:
                continue
            rest = fmt.exact_text(carrier.without).factor
            texts.append(f"{fmt.quote(carrier.benchmark)} alone {mean}: without it, {rest}.")
    return texts


def mean_without(verdict: Verdict, ratio: float) -> str:
    """The mean without a benchmark, with as many digits as the mean ``verdict`` itself has."""
    scale = ratio / verdict.ratio
    return fmt.ratio_text(ratio, verdict.low * scale, verdict.high * scale).factor


def distribution_section(result: Result) -> doc.ReportSection | None:
    """Best, worst and the shares that gained and lost, a table for each baseline."""
    if tables := distribution_tables(result):
        return doc.section(
            "distribution", "Distribution of the benchmarks", *tables, doc.note(_EXPLAINED)
        )
    return None


def distribution_tables(result: Result) -> tuple[doc.Table, ...]:
    """A table for each baseline; empty with a single benchmark. A short report has all variants
    against the main baseline, and the claimed gain where another baseline is claimed."""
    spreads = distributions(result)
    claim, main = result.question.claim, result.question.baselines[:1]
    claimed = (claim.variant, claim.baseline) if claim else None
    tables = []
    for baseline in dict.fromkeys(d.baseline for d in spreads):
        mine = [d for d in spreads if d.baseline == baseline]
        most = max(len(d.verdicts) for d in mine)
        caption = f"Distribution of the {most} benchmarks, against {baseline}"
        whole = doc.table(caption, _COLUMNS, map(_row, mine), against=baseline)
        assert whole is not None
        if baseline not in main:
            rows = tuple(_row(d) for d in mine if (d.variant, d.baseline) == claimed)
            whole = replace(whole, short=replace(whole, rows=rows))
        tables.append(whole)
    return tuple(tables)


def _row(d: Distribution) -> tuple[doc.Cell, ...]:
    shares = share_cell(d, "faster"), share_cell(d, "slower")
    estimates = doc.Cell(f"{d.gained} / {d.lost}", number=d.gained - d.lost)
    return doc.Cell(d.variant), _extreme(d.best), _extreme(d.worst), *shares, estimates


def share_cell(d: Distribution, outcome: Literal["faster", "slower"]) -> doc.Cell:
    """ "25 %" with "(2 of 8)" beside it."""
    number, total = d.words.get(outcome, 0), len(d.verdicts)
    text, detail = f"{100 * number / total:.0f} %", f"({number} of {total})"
    return doc.Cell(text, detail, outcome if number else None, number / total)


def _extreme(verdict: Verdict) -> doc.Cell:
    """The factor of one benchmark and its name; what is not certain is not coloured and says so."""
    factor, name = fmt.text_of(verdict).factor, f"on {verdict.benchmark or ''}"
    if verdict.outcome in ("faster", "slower"):
        return doc.Cell(factor, name, verdict.outcome, verdict.ratio)
    return doc.Cell(f"{factor} ({verdict.outcome})", name, number=verdict.ratio)


def interval_plot(result: Result) -> doc.Plot | None:
    """For each baseline its ``plots`` (the geometric mean, then each benchmark, with a point for
    each variant) and its ``distributions`` (each variant, with a point for each benchmark, the
    fastest first). Points have their ends (None: unbounded) and their verdict in words."""
    if not (result.judged.verdicts or result.judged.suites):
        return None
    spreads = fmt.grouped((d.baseline, _figure(d, result)) for d in distributions(result))
    baselines = [
        {"name": name, "plots": _plots(result, name), "distributions": spreads.get(name, [])}
        for name in result.question.baselines
    ]
    sure = min((v.confidence for v in result.judged.verdicts), default=0.0)
    data = {"margin": result.question.margin, "confidence": sure, "baselines": baselines}
    return doc.Plot("intervals", data)


def _plots(result: Result, baseline: str) -> list[dict[str, Any]]:
    names = [b.name for b in result.question.benchmarks]
    title = f"{SUITE} of {fmt.pluralize(len(names), 'benchmark')}"
    suites = [s.verdict for s in result.judged.suites if s.verdict.baseline == baseline]
    mine = (v for v in result.judged.verdicts if v.baseline == baseline)
    single = fmt.grouped((v.benchmark or "", v) for v in mine)
    ordered = dict.fromkeys([*(n for n in names if n in single), *filter(None, single)])
    plots = [_plot(name, single[name], result) for name in ordered]
    return [{**_plot(title, suites, result), "suite": True}, *plots] if suites else plots


def _plot(title: str, verdicts: list[Verdict], result: Result) -> dict[str, Any]:
    texts = [_named(v.variant, v, result) for v in verdicts]
    return {
        "title": title,
        "label": (
            f"{title}: time relative to {fmt.quote(verdicts[0].baseline)}. {'; '.join(texts)}."
        ),
        "points": [_point(v, v.variant, result) for v in verdicts if plottable(v.ratio)],
    }


def _figure(d: Distribution, result: Result) -> dict[str, Any]:
    faster, slower = d.words.get("faster", 0), d.words.get("slower", 0)
    counts = f"faster on {faster}, slower on {slower} of {len(d.verdicts)}"
    mean, text = None, ""
    if d.suite is not None and plottable(d.suite.verdict.ratio):
        mean = _point(d.suite.verdict, SUITE, result)
        text = f"{SUITE} {fmt.verdict(d.suite.verdict, result.question.margin)}; "
    best, worst = (_named(v.benchmark or "", v, result) for v in (d.best, d.worst))
    pair = f"{fmt.quote(d.variant)} against {fmt.quote(d.baseline)}"
    return {
        "name": d.variant,
        "title": f"{d.variant}: {counts}",
        "label": f"{pair}: {text}{counts} benchmarks; best and worst: {best}; {worst}.",
        "mean": mean,
        "points": [_point(v, v.benchmark or "", result) for v in d.verdicts],
    }


def _named(name: str, verdict: Verdict, result: Result) -> str:
    return f"{fmt.quote(name)} {fmt.verdict(verdict, result.question.margin)}"


def _point(verdict: Verdict, name: str, result: Result) -> dict[str, Any]:
    repeated = "process" if result.judged.about == "runs" else "block"
    text = fmt.verdict(verdict, result.question.margin)
    return point(verdict, name, f"{text}, {fmt.pluralize(verdict.blocks, repeated)}")


def point(verdict: fmt.Judgement, name: str, text: str) -> dict[str, Any]:
    """A verdict for a plot."""
    return {"name": name, "word": verdict.outcome, **interval_data(verdict), "text": text}


def interval_data(estimate: fmt.Estimate) -> dict[str, float | None]:
    """A ratio and its ends for a plot; None where nothing bounds it."""
    low, high = (x if plottable(x) else None for x in (estimate.low, estimate.high))
    return {"ratio": estimate.ratio, "low": low, "high": high}


def plottable(ratio: float) -> bool:
    """Whether it has a logarithm."""
    return math.isfinite(ratio) and ratio > 0
