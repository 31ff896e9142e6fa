"""What the kernel accounted for commands beside their time: CPU time, memory, faults, switches."""

from __future__ import annotations

from collections import defaultdict
from statistics import median

from whyfast.model.result import Result
from whyfast.model.verdict import METRICS, Verdict
from whyfast.report.names import printable
from whyfast.report.numbers import format_bytes, format_seconds, plain_ratio_text, ratio_text
from whyfast.report.summary_table import NOTHING
from whyfast.report.table import Cell, Column, Table

_WORDS = {"slower": "more", "faster": "less", "": ""}
_FORMATS = {"user": format_seconds, "system": format_seconds, "maxrss": format_bytes}


def metric_table(result: Result, *, decided: bool = False) -> Table | None:
    """Each quantity with its verdict and the medians of both sides; None when there is none.

    ``decided`` keeps those only in which the two sides certainly differ.
    """
    chosen = [v for v in result.judged.metrics if not decided or v.word in ("faster", "slower")]
    if not chosen:
        return None
    medians = _medians(result)
    rows = tuple(
        (
            Cell(METRICS.get(v.metric, printable(v.metric))),
            Cell(printable(v.variant)),
            _amount(medians, v.variant, v.metric),
            _difference(v),
            _amount(medians, v.baseline, v.metric),
        )
        for v in chosen
    )
    baseline = printable(chosen[0].baseline)
    columns = (
        Column("quantity"),
        Column("variant"),
        Column("median", "right"),
        Column(f"against {baseline}"),
        Column("its median", "right"),
    )
    return Table("What they used beside time", columns, rows, fixed=2)


def _difference(verdict: Verdict) -> Cell:
    if verdict.word == "same":
        plain = plain_ratio_text(verdict.ratio, verdict.low, verdict.high)
        return Cell("same", str(plain), "same")
    text = ratio_text(verdict.ratio, verdict.low, verdict.high)
    factor = f"{text.value} {_WORDS[text.direction]}".rstrip()
    if verdict.word == "undecided":
        return Cell("undecided", f"{factor} {text.interval}", "undecided")
    return Cell(factor, text.interval, verdict.word)


def _medians(result: Result) -> dict[tuple[str, str], float]:
    found: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for block in result.recorded.blocks:
        for variant, quantities in block.extra.items():
            for metric, values in quantities.items():
                found[variant, metric].extend(values)
    return {key: median(values) for key, values in found.items() if values}


def _amount(medians: dict[tuple[str, str], float], variant: str, metric: str) -> Cell:
    value = medians.get((variant, metric))
    if value is None:
        return NOTHING
    known = _FORMATS.get(metric)
    return Cell(f"{value:.4g}" if known is None else known(value))
