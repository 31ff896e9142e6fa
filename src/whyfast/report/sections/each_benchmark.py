"""Each benchmark: a table with variants as columns; for each pair of variants a table or lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from whyfast.model.result import Result
from whyfast.model.series import MEAN_SECONDS
from whyfast.model.verdict import Suite, Verdict
from whyfast.report.document import (
    NOTHING,
    Cell,
    ReportSection,
    Row,
    Table,
    TextRow,
    TextTable,
    group,
    right,
    section,
    sentences,
    table,
)
from whyfast.report.formatting import (
    UNBOUNDED,
    escape_controls,
    format_e_value,
    format_verdict,
    quote,
)
from whyfast.report.sections.distribution import Distribution, distributions, mean_without
from whyfast.report.sections.main_table import (
    SUITE,
    median_times,
    time_cell,
    value_text,
    verdict_cell,
)

#: Seconds by benchmark and variant.
Times = Mapping[tuple[str, str], float]
TOTAL = "total"
#: Marks what the others are compared with, as pyperf does.
REFERENCE = "(*)"
#: An interval of ratios narrower than this is shown with a decimal of a per cent.
NARROW = 0.05


def matrix_tables(result: Result) -> tuple[Table, ...]:
    """A table for each baseline: its time marked ``(*)``, then each variant's time with its change
    in per cent, interval and verdict. The geometric mean and the total are the last rows.

    Baselines that nothing is compared with have none.
    """
    times = median_times(result.recorded.blocks)
    tables = (_matrix(result, baseline, times) for baseline in result.question.baselines)
    return tuple(t for t in tables if t is not None)


def _matrix(result: Result, baseline: str, times: Times) -> Table | None:
    against = [v for v in result.judged.verdicts if v.baseline == baseline]
    verdicts = {(v.benchmark, v.variant): v for v in against}
    means = (s.verdict for s in result.judged.suites if s.verdict.baseline == baseline)
    suites = {v.variant: v for v in means}
    judged = {v.variant for v in against}
    variants = [v.name for v in result.question.variants if v.name in judged]
    if not judged:
        return None
    benchmarks = [b.name for b in result.question.benchmarks]
    lacking = {(f.benchmark, f.variant): f.reason for f in result.recorded.lacking}

    def cell(benchmark: str, variant: str) -> Cell:
        """Empty, with the reason, where there is no such benchmark."""
        time = time_cell(times.get((benchmark, variant)), result.judged.about)
        if time is None:
            return Cell(NOTHING.text, lacking.get((benchmark, variant), ""))
        if variant == baseline:
            return Cell(f"{time.text} {REFERENCE}", number=time.number)
        verdict = verdicts.get((benchmark, variant))
        return _changed(f"{time.text} ", verdict) if verdict else time

    rows: list[Row] = [
        (name, *(cell(name, variant) for variant in (baseline, *variants))) for name in benchmarks
    ]
    if suites:
        rows.append(
            (
                SUITE,
                REFERENCE,
                *(_changed("", suites[v]) if v in suites else None for v in variants),
            )
        )
    rows += _total(result, times, benchmarks, (baseline, *variants))
    columns = ("benchmark", *right(baseline, *variants))
    return table(f"Each benchmark against {baseline} {REFERENCE}", columns, rows, fixed=2)


def _changed(time: str, verdict: Verdict) -> Cell:
    """The time with the change that was judged, which is not that of the medians shown."""
    bounded = verdict.low > 0 and verdict.high < float("inf")
    narrow = bounded and verdict.high - verdict.low < NARROW
    digits = 1 if narrow else _digits(verdict.ratio)
    ends = ", ".join(_percent(end, digits) for end in (verdict.low, verdict.high))
    interval = f"[{ends}]" if bounded else UNBOUNDED
    text = f"{time}({_percent(verdict.ratio, digits)} %)"
    return Cell(text, f"{interval} {verdict.outcome}", verdict.outcome, verdict.ratio)


def _total(
    result: Result, times: Times, benchmarks: Sequence[str], names: Sequence[str]
) -> Iterator[Row]:
    """The sum of the times over the benchmarks that all have, where these are several."""
    common = [b for b in benchmarks if all((b, name) in times for name in names)]
    if len(common) < 2:
        return
    first, *others = (sum(times[b, name] for b in common) for name in names)
    about = result.judged.about
    yield (
        Cell(TOTAL, "" if len(common) == len(benchmarks) else f"over {len(common)}"),
        f"{value_text(first, about)} {REFERENCE}",
        *(f"{value_text(x, about)} ({_percent(x / first, _digits(x / first))} %)" for x in others),
    )


def _digits(ratio: float) -> int:
    """Decimals of a change in per cent: none from 10 % on."""
    return 0 if abs(ratio - 1) >= 0.0995 else 1


def _percent(ratio: float, digits: int) -> str:
    """A ratio of times as its change in per cent, with a sign."""
    change = (ratio - 1) * 100
    text = f"{abs(change):.{digits}f}"
    sign = "" if float(text) == 0 else "−" if change < 0 else "+"
    return sign + text


#: The number of lines that a short report has room for; more are shown on demand.
FEW = 12
_EXPLAINED = (
    "Times are medians over all turns; ratios compare turns side by side, and can differ from the "
    "quotient of the times."
)


def benchmark_sections(result: Result) -> tuple[ReportSection | None, ReportSection | None]:
    """The lines of a short report where they are few; and all others."""
    tables = benchmark_tables(result)
    lined = any(t.lines for parts in tables.values() for t in parts)
    note = sentences([_EXPLAINED], aside=True) if lined else None
    few: tuple[Table, ...] = ()
    for baseline in result.question.baselines[:1]:
        parts = tables[baseline]
        if 0 < sum(len(t.lines.lines) for t in parts if t.lines) <= FEW:
            few, tables[baseline] = parts, ()
    groups = [group(f"Each benchmark against {b}", *parts) for b, parts in tables.items()]
    hint = "" if few or not lined else "Each benchmark: with -v."
    title, below = "Each benchmark", None if few else note
    return (
        section("intervals", title, *few, note if few else None),
        section("benchmarks", title, *groups, below, importance="detail", hint=hint),
    )


def benchmark_tables(result: Result) -> dict[str, tuple[Table, ...]]:
    """For each baseline a table for each variant, or a single one where there is one benchmark."""
    times = benchmark_times(result)
    return {
        name: tuple(replace(t, against=name) for t in _each_benchmark_against(result, name, times))
        for name in result.question.baselines
    }


def benchmark_times(result: Result) -> Times:
    """Medians over turns; of recorded runs what their files say."""
    if result.judged.about != "runs":
        return median_times(result.recorded.blocks)
    recorded = {s.id: s.environment.get(MEAN_SECONDS) for s in result.recorded.sessions}
    return {
        (name, run): mean
        for run, means in recorded.items()
        if isinstance(means, Mapping)
        for name, mean in means.items()
        if isinstance(mean, float)
    }


def _each_benchmark_against(result: Result, baseline: str, times: Times) -> tuple[Table, ...]:
    runs = result.judged.about == "runs"
    verdicts = [v for v in result.judged.verdicts if v.baseline == baseline]
    if len({v.benchmark for v in verdicts}) < 2 and not runs:
        whole = _by_variant(result, verdicts, times)
        return (whole,) if whole else ()
    spreads = () if runs else distributions(result)
    lines = {d.variant: d for d in spreads if d.baseline == baseline}
    order = {v.name: i for i, v in enumerate(result.question.variants)}
    tables = []
    for name in sorted({v.variant for v in verdicts}, key=lambda n: (order.get(n, len(order)), n)):
        mine = _by_benchmark(result, [v for v in verdicts if v.variant == name], times)
        if mine and name in lines:
            mine = replace(mine, lines=benchmark_lines(result, lines[name], times))
        tables += [mine] if mine else []
    return tuple(tables)


def _by_variant(result: Result, verdicts: Sequence[Verdict], times: Times) -> Table | None:
    rows = [
        (
            v.benchmark or "",
            v.variant,
            verdict_cell(v),
            time_cell(times.get((v.benchmark or "", v.variant)), result.judged.about),
            *_sureness(v),
        )
        for v in verdicts
    ]
    columns = ("benchmark", "variant", "verdict", *right("time", "blocks", "e-value"))
    caption = f"Each benchmark against {verdicts[0].baseline}" if verdicts else ""
    return table(caption, columns, rows, fixed=2)


def _by_benchmark(result: Result, verdicts: Sequence[Verdict], times: Times) -> Table | None:
    """Of one pair, with the geometric mean as the last row."""
    variant, baseline, about = verdicts[0].variant, verdicts[0].baseline, result.judged.about
    order = {b.name: i for i, b in enumerate(result.question.benchmarks)}
    verdicts = sorted(verdicts, key=lambda v: order.get(v.benchmark or "", len(order)))
    pair = (variant, baseline)
    suites = [s for s in result.judged.suites if (s.verdict.variant, s.verdict.baseline) == pair]
    rows: list[Row] = [
        (
            v.benchmark or "",
            *(time_cell(times.get((v.benchmark or "", who)), about) for who in (baseline, variant)),
            verdict_cell(v),
            *_sureness(v),
            without_cell(suites[0], v.benchmark) if suites else None,
        )
        for v in verdicts
    ]
    for s in suites:
        rows.append((SUITE, None, None, verdict_cell(s.verdict), *_sureness(s.verdict), None))
    repeated = "processes" if about == "runs" else "blocks"
    columns = (
        *("benchmark", *right(baseline, variant)),
        *("verdict", *right(repeated, "e-value"), "mean without it"),
    )
    return table(f"{variant} against {baseline}, each benchmark", columns, rows, of=variant)


def without_cell(suite: Suite, benchmark: str | None) -> Cell | None:
    """The mean without that benchmark, with as many digits as the mean itself has."""
    ratio = suite.influence.get(benchmark or "")
    return None if ratio is None else Cell(mean_without(suite.verdict, ratio), number=ratio)


def _sureness(verdict: Verdict) -> tuple[int, Cell]:
    return verdict.blocks, Cell(format_e_value(verdict.log_e), number=verdict.log_e)


def benchmark_lines(result: Result, d: Distribution, seconds: Times) -> TextTable:
    """A line for each benchmark of one pair, the fastest first: "nbody: clang18 71.9 ms -> clang19
    91.1 ms: 1.27x slower …", in brief "nbody: 71.9 ms -> 91.1 ms: …", one below the other."""
    about, margin = result.judged.about, result.question.margin
    times = {key: value_text(value, about) for key, value in seconds.items()}
    parts = [
        (
            f"{' '.join(escape_controls(v.benchmark or '').split())}: ",
            *(times.get((v.benchmark or "", who), "") for who in (d.baseline, d.variant)),
        )
        for v in d.verdicts
    ]
    name, before, after = (max(map(len, column)) for column in zip(*parts, strict=True))
    timed = before > 0 or after > 0

    def start(part: tuple[str, ...], base: str, variant: str) -> str:
        if not timed:
            return part[0].ljust(name)
        before_time, after_time = (time or "?" for time in part[1:])
        return f"{part[0]:<{name}}{base}{before_time:>{before}} -> {variant}{after_time:>{after}}: "

    base, variant = (f"{quote(n)} " for n in (d.baseline, d.variant))
    return TextTable(
        f"{quote(d.variant)} against {quote(d.baseline)}",
        tuple(
            TextRow(
                start(part, base, variant),
                start(part, "", ""),
                format_verdict(v, margin),
                v.outcome,
            )
            for part, v in zip(parts, d.verdicts, strict=True)
        ),
        f"{SUITE}: {_mean_text(d, margin)}",
    )


def _mean_text(d: Distribution, margin: float) -> str:
    """The geometric mean, and what it would be without a benchmark that moves what is said."""
    if d.suite is None:
        return "no verdict yet: a benchmark has no result"
    text = format_verdict(d.suite.verdict, margin)
    for carrier in d.carriers[:1]:
        rest = without_cell(d.suite, carrier.benchmark)
        if rest is not None:
            text += f"; without {quote(carrier.benchmark)} {rest.text}"
    return text
