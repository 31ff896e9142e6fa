"""What the comparison says: rows of ratios, and their geometric means with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Ratio:
    """Time of a contender over that of ours, with an interval; ``low`` 0 or ``high`` inf: open."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        interval = f"[{self.low:.2f}, {self.high:.2f}]" if math.isfinite(self.high) else "[open]"
        return f"{self.value:.2f} {interval}"


@dataclass(frozen=True)
class Row:
    """One program: the ratio of each contender that could run it."""

    program: str
    ratios: Mapping[str, Ratio]


def geometric_mean(values: Sequence[float]) -> Ratio:
    """exp(m ± t s / √n) of the logarithms, m their mean, s their standard deviation.

    The interval is about programs, not about measuring: where the mean over many programs of such
    kinds would lie if these were a sample of them. t is Student's with n - 1 degrees of freedom.
    """
    logs = np.log(np.asarray(values, dtype=np.float64))
    mean = float(logs.mean())
    if len(logs) < 2:
        return Ratio(math.exp(mean), 0.0, math.inf)
    half = float(
        t.ppf((1 + CONFIDENCE) / 2, len(logs) - 1) * logs.std(ddof=1) / math.sqrt(len(logs))
    )
    return Ratio(math.exp(mean), math.exp(mean - half), math.exp(mean + half))


def means(rows: Sequence[Row], contenders: Iterable[str]) -> dict[str, tuple[Ratio, int]]:
    """The geometric mean of each contender over the programs that it ran, and how many they are."""
    found = {}
    for name in contenders:
        values = [row.ratios[name].value for row in rows if name in row.ratios]
        if values:
            found[name] = (geometric_mean(values), len(values))
    return found


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Columns two spaces apart, the first one flush left like the others."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def row_table(rows: Sequence[Row], contenders: Sequence[str]) -> str:
    lines = [["program", *contenders]]
    for row in rows:
        cells = [str(row.ratios[name]) if name in row.ratios else "-" for name in contenders]
        lines.append([row.program, *cells])
    return aligned(lines)


def summary(sets: Mapping[str, Sequence[Row]], contenders: Sequence[str]) -> str:
    """The sets side by side."""
    found = {kind: means(rows, contenders) for kind, rows in sets.items()}
    lines = [["geometric mean", *(f"{kind} ({len(rows)})" for kind, rows in sets.items())]]
    for name in contenders:
        cells = []
        for kind, rows in sets.items():
            mean, count = found[kind].get(name, (None, 0))
            short = f" of {count}" if mean and count < len(rows) else ""
            cells.append(f"{mean}{short}" if mean else "-")
        lines.append([name, *cells])
    return aligned(lines)
