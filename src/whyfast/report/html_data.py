"""The data that the HTML file carries for its plots and its raw values."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

from whyfast.model.result import Result
from whyfast.model.sample import Block
from whyfast.model.verdict import Verdict
from whyfast.report.benchmark_table import SUITE
from whyfast.report.distribution import Distribution, distributions
from whyfast.report.names import count, printable, shown
from whyfast.report.numbers import format_verdict

#: From this many raw values on they are rounded to 4 significant digits, and the file says so.
MOST_EXACT = 200_000


def plot_data(result: Result) -> dict[str, Any]:
    """For each baseline its ``plots``, the geometric mean and then one a benchmark, with a point
    a variant; and its ``distributions``, one a variant with a point a benchmark, the fastest
    first. Points have their ends (None: unbounded) and their verdict in words."""
    found = distributions(result)
    return {
        "margin": result.question.margin,
        "baselines": [
            {
                "name": printable(name),
                "plots": _plots(result, name),
                "distributions": [_distribution(d, result) for d in found if d.baseline == name],
            }
            for name in result.question.baselines
        ],
    }


def raw_data(result: Result) -> dict[str, Any]:
    """Every raw value in seconds, by benchmark and block; variants by their index."""
    rounded = value_count(result.recorded.blocks) > MOST_EXACT
    names = list(
        dict.fromkeys(
            [v.name for v in result.question.variants]
            + [name for block in result.recorded.blocks for name in block.values]
        )
    )
    index = {name: i for i, name in enumerate(names)}
    benchmarks: dict[str, list[dict[str, Any]]] = {}
    for block in result.recorded.blocks:
        benchmarks.setdefault(block.benchmark, []).append(_block(block, index, rounded))
    return {
        "rounded": rounded,
        "variants": [printable(name) for name in names],
        "benchmarks": [{"name": printable(n), "blocks": b} for n, b in benchmarks.items()],
    }


def value_count(blocks: Iterable[Block]) -> int:
    """How many raw values there are."""
    return sum(len(values) for block in blocks for values in block.values.values())


def script_json(data: object) -> str:
    """JSON for a ``<script type="application/json">``: nothing in it can end the element."""
    dumped = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return dumped.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _plots(result: Result, baseline: str) -> list[dict[str, Any]]:
    plots = []
    suites = [s.verdict for s in result.judged.suites if s.verdict.baseline == baseline]
    if suites:
        number = len(result.question.benchmarks)
        title = f"{SUITE} of {count(number, 'benchmark')}"
        plots.append({**_plot(title, suites, result), "suite": True})
    found = [
        v for v in result.judged.verdicts if v.baseline == baseline and v.benchmark is not None
    ]
    names = dict.fromkeys(
        [b.name for b in result.question.benchmarks] + [v.benchmark or "" for v in found]
    )
    for name in names:
        mine = [v for v in found if v.benchmark == name]
        if mine:
            plots.append(_plot(name, mine, result))
    return plots


def _plot(title: str, verdicts: list[Verdict], result: Result) -> dict[str, Any]:
    margin = result.question.margin
    runs = result.judged.about == "runs"
    said = "; ".join(f"{shown(v.variant)} {format_verdict(v, margin)}" for v in verdicts)
    baseline = shown(verdicts[0].baseline)
    return {
        "title": printable(title),
        "label": f"{printable(title)}: time relative to {baseline}. {said}.",
        "points": [_point(v, v.variant, margin, runs) for v in verdicts if _plottable(v.ratio)],
    }


def _distribution(d: Distribution, result: Result) -> dict[str, Any]:
    margin, runs = result.question.margin, result.judged.about == "runs"
    pair = f"{shown(d.variant)} against {shown(d.baseline)}"
    number = len(d.verdicts)
    counts = (
        f"faster on {d.words.get('faster', 0)}, slower on {d.words.get('slower', 0)} of {number}"
    )
    mean, said = None, ""
    if d.suite is not None and _plottable(d.suite.verdict.ratio):
        mean = _point(d.suite.verdict, SUITE, margin, runs)
        said = f"{SUITE} {format_verdict(d.suite.verdict, margin)}; "
    ends = "; ".join(
        f"{shown(v.benchmark or '')} {format_verdict(v, margin)}" for v in (d.best, d.worst)
    )
    return {
        "title": f"{printable(d.variant)}: {counts}",
        "label": f"{pair}: {said}{counts} benchmarks; best and worst: {ends}.",
        "mean": mean,
        "points": [_point(v, v.benchmark or "", margin, runs) for v in d.verdicts],
    }


def _point(verdict: Verdict, name: str, margin: float, runs: bool) -> dict[str, Any]:
    repeated = f"processes: {verdict.blocks}" if runs else count(verdict.blocks, "block")
    return {
        "name": printable(name),
        "word": verdict.word,
        "ratio": verdict.ratio,
        "low": verdict.low if _plottable(verdict.low) else None,
        "high": verdict.high if _plottable(verdict.high) else None,
        "text": f"{format_verdict(verdict, margin)}, {repeated}",
    }


def _plottable(ratio: float) -> bool:
    return math.isfinite(ratio) and ratio > 0


def _block(block: Block, index: dict[str, int], rounded: bool) -> dict[str, Any]:
    return {
        "index": block.index,
        "session": printable(block.session),
        "cpu": block.cpu,
        "loops": block.loops,
        "warmups": block.warmups,
        "seed": block.seed,
        "started": block.started,
        "order": [[index[name] for name in turn] for turn in block.order],
        "values": {
            str(index[name]): [_rounded(v) for v in values] if rounded else list(values)
            for name, values in block.values.items()
        },
    }


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")
