"""Each benchmark: a table with variants as columns; for each pair of variants a table or lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from whyfast.model.result import Result
from whyfast.model.sample import MEAN_SECONDS
from whyfast.model.verdict import Verdict
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections import main_table
from whyfast.report.sections.distribution import mean_without

#: Seconds by benchmark and variant.
Times = Mapping[tuple[str, str], float]
TOTAL = "total"
#: Marks what the others are compared with, as pyperf does.
REFERENCE = "(*)"
#: An interval of ratios narrower than this is shown with a decimal of a per cent.
NARROW = 0.05


def matrix_tables(result: Result) -> tuple[doc.Table, ...]:
    """A table for each baseline: its time marked ``(*)``, then each variant's time with its change
    in per cent, interval and verdict. The geometric mean and the total are the last rows. Baselines
    that nothing is compared with have none."""
    times = main_table.median_times(result.recorded.blocks)
    tables = (_matrix(result, baseline, times) for baseline in result.question.baselines)
    return tuple(t for t in tables if t is not None)


def _matrix(result: Result, baseline: str, times: Times) -> doc.Table | None:
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

    def cell(benchmark: str, variant: str) -> doc.Cell:
        """Empty, with the reason, where there is no such benchmark."""
        time = main_table.time_cell(times.get((benchmark, variant)), result.judged.about)
        if time is None:
            return doc.Cell(doc.NOTHING.text, lacking.get((benchmark, variant), ""))
        if variant == baseline:
            return doc.Cell(f"{time.text} {REFERENCE}", number=time.number)
        verdict = verdicts.get((benchmark, variant))
        return _changed(f"{time.text} ", verdict) if verdict else time

    rows: list[doc.Row] = [
        (b, *(cell(b, variant) for variant in (baseline, *variants))) for b in benchmarks
    ]
    if suites:
        mean = (_changed("", suites[v]) if v in suites else None for v in variants)
        rows.append((main_table.SUITE, REFERENCE, *mean))
    rows += _total(result, times, benchmarks, (baseline, *variants))
    columns = ("benchmark", *doc.right(baseline, *variants))
    return doc.table(f"Each benchmark against {baseline} {REFERENCE}", columns, rows, fixed=2)


def _changed(time: str, verdict: Verdict) -> doc.Cell:
    """The time with the change that was judged, which is not that of the medians shown."""
    bounded = verdict.low > 0 and verdict.high < float("inf")
    narrow = bounded and verdict.high - verdict.low < NARROW
    digits = 1 if narrow else _digits(verdict.ratio)
    ends = ", ".join(_percent(end, digits) for end in (verdict.low, verdict.high))
    interval = f"[{ends}]" if bounded else fmt.UNBOUNDED
    text = f"{time}({_percent(verdict.ratio, digits)} %)"
    return doc.Cell(text, f"{interval} {verdict.outcome}", verdict.outcome, verdict.ratio)


def _total(
    result: Result, times: Times, benchmarks: Sequence[str], names: Sequence[str]
) -> Iterator[doc.Row]:
    """The sum of the times over the benchmarks that all have, where these are several."""
    common = [b for b in benchmarks if all((b, name) in times for name in names)]
    if len(common) < 2:
        return
    first, *others = (sum(times[b, name] for b in common) for name in names)
    about = result.judged.about
    yield (
        doc.Cell(TOTAL, "" if len(common) == len(benchmarks) else f"over {len(common)}"),
        f"{main_table.value_text(first, about)} {REFERENCE}",
        *(
            f"{main_table.value_text(x, about)} ({_percent(x / first, _digits(x / first))} %)"
            for x in others
        ),
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


#: The number of rows that a short report has room for; more are shown on demand.
FEW = 12
_NO_MEAN = "no verdict yet: a benchmark has no result"
#: Columns that give way on a narrow terminal, the one with the largest number first.
_DROPS = {"blocks": 1, "processes": 1, "mean without it": 2, "e-value": 3}
_EXPLAINED = (
    "Times are medians over all turns; ratios compare turns side by side, and can differ from the "
    "quotient of the times."
)


def benchmark_sections(result: Result) -> tuple[doc.ReportSection | None, doc.ReportSection | None]:
    """The tables of a short report where their rows are few; and all others."""
    tables = benchmark_tables(result)
    several = len({v.benchmark for v in result.judged.verdicts}) > 1
    listed = several and result.judged.about != "runs"
    text = doc.note(_EXPLAINED) if listed else None
    few: tuple[doc.Table, ...] = ()
    for baseline in result.question.baselines[: 1 if listed else 0]:
        if sum(len(t.rows) for t in tables[baseline]) <= FEW:
            few, tables[baseline] = tables[baseline], ()
    groups = [doc.group(f"Each benchmark against {b}", *parts) for b, parts in tables.items()]
    hint = "" if few or not listed else "Each benchmark: with -v."
    above, below = (text, None) if few else (None, text)
    title = "Each benchmark"
    return (
        doc.section("intervals", title, *few, above),
        doc.detail("benchmarks", title, *groups, below, hint=hint),
    )


def benchmark_tables(result: Result) -> dict[str, tuple[doc.Table, ...]]:
    """For each baseline a table for each variant, or a single one where there is one benchmark."""
    times, tables = benchmark_times(result), {}
    order = {v.name: i for i, v in enumerate(result.question.variants)}
    for baseline in result.question.baselines:
        verdicts = [v for v in result.judged.verdicts if v.baseline == baseline]
        if len({v.benchmark for v in verdicts}) < 2 and result.judged.about != "runs":
            every = [_by_variant(result, baseline, verdicts, times)]
        else:
            pairs = fmt.grouped((v.variant, v) for v in verdicts)
            names = sorted(pairs, key=lambda n: (order.get(n, len(order)), n))
            every = [_by_benchmark(result, pairs[name], times) for name in names]
        tables[baseline] = tuple(t for t in every if t is not None)
    return tables


def benchmark_times(result: Result) -> Times:
    """Medians over turns; of recorded runs what their files say."""
    if result.judged.about != "runs":
        return main_table.median_times(result.recorded.blocks)
    recorded = {s.id: s.environment.get(MEAN_SECONDS) for s in result.recorded.sessions}
    return {
        (name, run): mean
        for run, means in recorded.items()
        if isinstance(means, Mapping)
        for name, mean in means.items()
        if isinstance(mean, float)
    }


def _by_variant(
    result: Result, baseline: str, verdicts: Sequence[Verdict], times: Times
) -> doc.Table | None:
    rows = [
        (
            v.benchmark or "",
            v.variant,
            main_table.verdict_cell(v),
            main_table.time_cell(times.get((v.benchmark or "", v.variant)), result.judged.about),
            *_sureness(v),
        )
        for v in verdicts
    ]
    columns = ("benchmark", "variant", "verdict", *doc.right("time", "blocks", "e-value"))
    return doc.table(f"Each benchmark against {baseline}", columns, rows, fixed=2, against=baseline)


def _by_benchmark(result: Result, verdicts: Sequence[Verdict], times: Times) -> doc.Table | None:
    """Of one pair, with the geometric mean as the last row."""
    variant, baseline, about = verdicts[0].variant, verdicts[0].baseline, result.judged.about
    order = {b.name: i for i, b in enumerate(result.question.benchmarks)}
    verdicts = sorted(verdicts, key=lambda v: order.get(v.benchmark or "", len(order)))
    pair = (variant, baseline)
    suites = [s for s in result.judged.suites if (s.verdict.variant, s.verdict.baseline) == pair]
    # The mean without a benchmark, by its name, and with as many digits as the mean itself has.
    without = {
        name: doc.Cell(mean_without(s.verdict, ratio), number=ratio)
        for s in suites
        for name, ratio in s.influence.items()
    }
    rows: list[doc.Row] = [
        (
            v.benchmark or "",
            *(
                main_table.time_cell(times.get((v.benchmark or "", who)), about)
                for who in (baseline, variant)
            ),
            main_table.verdict_cell(v),
            *_sureness(v),
            without.get(v.benchmark or ""),
        )
        for v in verdicts
    ]
    for s in suites:
        rows.append(
            (
                main_table.SUITE,
                None,
                None,
                main_table.verdict_cell(s.verdict),
                *_sureness(s.verdict),
                None,
            )
        )
    if not suites and len(verdicts) > 1:
        rows.append((main_table.SUITE, None, None, doc.Cell("–", _NO_MEAN), None, None, None))
    repeated = "processes" if about == "runs" else "blocks"
    timed = any((v.benchmark, who) in times for v in verdicts for who in pair)
    columns = (
        *("benchmark", *(doc.right(baseline, variant) if timed else (None, None)), "verdict"),
        *(*doc.right(repeated, "e-value"), "mean without it" if suites else None),
    )
    caption = f"{variant} against {baseline}, each benchmark"
    return doc.table(caption, columns, rows, drops=_DROPS, of=variant, against=baseline)


def _sureness(verdict: Verdict) -> tuple[int, doc.Cell]:
    return verdict.blocks, doc.Cell(fmt.e_value(verdict.log_e), number=verdict.log_e)
