"""Cells of the tables on the first screen, where a verdict has one line; and what to distrust."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from whyfast.model.verdict import Confound, Verdict
from whyfast.report.document import Bar, Cell
from whyfast.report.names import sentence
from whyfast.report.numbers import plain_ratio_text, ratio_text, within
from whyfast.report.topics.summary import Comparisons

#: A bar is as long as its column at this ratio at least, so that a small difference looks small.
_LEAST_REACH = 1.25
#: So many warnings are quoted; the rest is counted.
_QUOTED = 2


def against_cell(comparisons: Comparisons, name: str, baseline: str) -> Cell | None:
    """A variant against a baseline, in one line; None where they were not compared."""
    if name == baseline:
        return Cell("baseline")
    v = comparisons.of(name, baseline)
    return None if v is None else line_cell(v)


def line_cell(v: Verdict) -> Cell:
    """One cell of text: the interval stands in the same line."""
    if not (v.low > 0 and math.isfinite(v.high)):
        return Cell(f"undecided, {_so_far(v.ratio)}", "", "undecided", v.ratio)
    if v.word == "same":
        return Cell(f"same {plain_ratio_text(v.ratio, v.low, v.high)}", "", "same", v.ratio)
    text = ratio_text(v.ratio, v.low, v.high)
    if v.word == "undecided":
        return Cell(f"undecided {text.interval}", "", "undecided", v.ratio)
    return Cell(str(text), "", v.word, v.ratio)


def _so_far(ratio: float) -> str:
    """Of an interval without ends: to two decimals, as nobody knows how sure that is."""
    if not 0 < ratio < math.inf:
        return "too few blocks"
    value = f"{max(ratio, 1 / ratio):.2f}x"
    direction = "" if value == "1.00x" else " faster" if ratio < 1 else " slower"
    return f"{value}{direction} so far"


def reach_of(found: Iterable[Verdict]) -> tuple[float, float]:
    """Logarithms between which all bars lie, 0 among them."""
    logs = [math.log(v.ratio) for v in found if 0 < v.ratio < math.inf]
    low, high = min([0.0, *logs]), max([0.0, *logs])
    least = math.log(_LEAST_REACH)
    if high - low < least:
        return (low - (least - high + low), high) if -low > high else (low, low + least)
    return low, high


def bar_cell(v: Verdict | None, reach: tuple[float, float]) -> Cell:
    """The logarithm of the ratio as a bar, of no length where there is none."""
    low, high = reach
    zero = -low / (high - low)
    if v is None or not 0 < v.ratio < math.inf:
        return Cell("", bar=Bar(zero, zero))
    end = (math.log(within(v.ratio, v.low, v.high)) - low) / (high - low)
    return Cell("", "", v.word, bar=Bar(zero, end, v.word != "undecided"))


def warnings_first(confounds: Sequence[Confound]) -> tuple[list[str], list[str]]:
    """The first warnings as sentences, and what else could mislead."""
    ordered = sorted(confounds, key=lambda c: c.severity != "warning")
    said = [sentence(c.text) for c in ordered]
    warnings = min(_QUOTED, sum(c.severity == "warning" for c in ordered))
    return said[:warnings], said[warnings:]
