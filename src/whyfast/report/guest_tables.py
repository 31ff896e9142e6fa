"""Tables of instructions counted under several kernels."""

from __future__ import annotations

from collections.abc import Sequence

from whyfast.judge.counts import counts
from whyfast.judge.releases import ReleaseSeries, version_key
from whyfast.model.result import Result
from whyfast.model.verdict import Verdict, Word
from whyfast.report.names import printable
from whyfast.report.table import Cell, Column, Table

NOTHING = Cell("–")


def number(value: float) -> str:
    """A count with at most two decimals, and none that are 0: "17", "17.25", "1 064"."""
    text = f"{value:z,.2f}".replace(",", " ")
    return text.rstrip("0").rstrip(".") if "." in text else text


def more(ratio: float) -> str:
    """A ratio of counts in words: "1.55x as many"."""
    return f"{factor(ratio)} as many"


def factor(ratio: float) -> str:
    """A ratio of counts: "1.55x"."""
    return f"{ratio:.{3 if abs(ratio - 1) < 0.1 else 2}f}x"


def slope_table(result: Result, series: Sequence[ReleaseSeries]) -> Table | None:
    """A row a kernel, a column a series: the cost of one more unit of the parameter; None where
    nothing has a parameter."""
    if not series:
        return None
    kernels = sorted({p.kernel for s in series for p in s.points}, key=version_key)
    rows = []
    for kernel in kernels:
        row = [Cell(printable(kernel))]
        for one in series:
            slope = {p.kernel: p.slope for p in one.points}.get(kernel)
            step = next((s for s in one.steps if s.after.kernel == kernel), None)
            if slope is None:
                row.append(NOTHING)
            elif step is None:
                row.append(Cell(number(slope)))
            else:
                word: Word = "slower" if step.ratio > 1 else "faster"
                row.append(Cell(number(slope), f"({factor(step.ratio)})", word))
        rows.append(tuple(row))
    columns = (Column("Linux"), *(Column(printable(s.name)) for s in series))
    units = " or ".join(dict.fromkeys(printable(s.unit) for s in series))
    caption = f"Instructions for one more {units} (simulated, not time)"
    if any(s.steps for s in series):
        caption += "; in brackets a step from the kernel before"
    return Table(caption, columns, tuple(rows))


def count_table(result: Result) -> Table | None:
    """What one loop of each benchmark takes, and against the main baseline."""
    if not result.recorded.blocks:
        return None
    against = {
        (v.benchmark, v.variant): v
        for v in result.judged.verdicts
        if v.baseline == result.question.baselines[0]
    }
    rows = []
    for variant in result.question.measured:
        for benchmark in result.question.benchmarks:
            own = counts(result.recorded.blocks, benchmark.name, variant.name)
            if own:
                verdict = against.get((benchmark.name, variant.name))
                ends = [number(n) for n in (min(own), max(own))]
                rows.append(
                    (
                        Cell(printable(variant.name)),
                        Cell(printable(benchmark.name)),
                        Cell(" to ".join(dict.fromkeys(ends))),
                        Cell("baseline") if verdict is None else _against(verdict),
                    )
                )
    columns = (
        Column("variant"),
        Column("benchmark"),
        Column("instructions", "right"),
        Column(f"against {printable(result.question.baselines[0])}"),
    )
    return Table("Instructions of one loop (simulated, not time)", columns, tuple(rows), fixed=2)


def _against(verdict: Verdict) -> Cell:
    if verdict.word == "same":
        return Cell("same", f"{verdict.ratio:.4f}x", "same")
    exact = verdict.low == verdict.high
    ends = "" if exact else f"[{verdict.low:.3f}, {verdict.high:.3f}]"
    return Cell(more(verdict.ratio), ends, verdict.word)


def point_table(result: Result, series: Sequence[ReleaseSeries]) -> Table | None:
    """Slope and intercept of each variant; None where nothing has a parameter."""
    lines = {(line.family, line.variant): line for line in result.judged.slopes}
    rows = [
        (
            Cell(printable(p.kernel)),
            Cell(printable(s.name)),
            Cell(number(p.slope)),
            Cell(number(p.intercept)),
            Cell(number(abs(lines[s.family, p.variant].departure))),
        )
        for s in series
        for p in s.points
    ]
    if not rows:
        return None
    columns = (
        Column("Linux"),
        Column("series"),
        Column(f"for one more {printable(series[0].unit)}", "right"),
        Column("with none", "right"),
        Column("furthest from the line", "right"),
    )
    return Table("Lines, in instructions", columns, tuple(rows), fixed=2)


def boot_table(result: Result) -> Table | None:
    """Every kernel as it was booted, once for all boots that were alike."""
    if not result.recorded.boots:
        return None
    found: dict[tuple[str, ...], list[float]] = {}
    for b in result.recorded.boots:
        key = (
            b.kernel.upstream,
            f"{b.kernel.package} {b.kernel.version} ({b.kernel.suite})",
            b.kernel.sha256[:12],
            b.facts.get("spectre_v2", "–"),
            b.facts.get("bpf_jit_harden", "–"),
            b.command_line,
        )
        found.setdefault(key, []).append(b.disturbed)
    rows = tuple(
        (
            *(Cell(printable(text)) for text in key),
            Cell(f"{max(shares):.1%}"),
            Cell(f"{len(shares)}"),
        )
        for key, shares in sorted(found.items(), key=lambda item: version_key(item[0][0]))
    )
    titles = ("Linux", "package", "image", "spectre_v2", "jit_harden", "parameters")
    columns = (
        *(Column(title) for title in titles),
        Column("disturbed", "right"),
        Column("boots", "right"),
    )
    return Table("Kernels, with the digest of each image", columns, rows)
