"""Instructions counted under several kernels, which were booted in virtual machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from whyfast.judge.lines import ReleaseSeries, counts, release_series, spread, version_key
from whyfast.model.result import Result
from whyfast.model.verdict import Outcome, Verdict
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections.main_table import decided
from whyfast.report.sections.programs import failed_sentences, not_built

#: Two ticks a round, give or take what an interrupt can add to a hundred thousand of them.
_ROUND, _ROUND_OFF = 2.0, 0.1
#: Less than this, in instructions, is the rounding of a fit.
_EXACT = 0.005
_HOW = (
    "Each kernel was booted in a virtual machine whose processor QEMU interprets, one instruction "
    "a nanosecond of the guest's clock. A program was granted a number of loops and twice that "
    "number, in turns; the difference of the least counts of both is what the loops took. "
    "See kernels.md in the documentation of whyfast."
)


def kernel_sections(result: Result, texts: Sequence[str]) -> tuple[doc.ReportSection | None, ...]:
    """The costs by kernel with the sentences ``texts``, every count, and the kernels."""
    series = series_of(result)
    slopes, every = slope_table(series), count_table(result)
    costs = (slopes or every, release_plot(result), doc.sentences(texts))
    tables = (*((every,) if slopes else ()), point_table(result, series))
    title = "By kernel release" if slopes else "What was counted"
    return (
        doc.section("slopes", title, *costs, importance="answer"),
        doc.detail("counts", "Every count", *tables),
        doc.detail("boots", "The kernels", boot_table(result)),
        doc.section("how", "How it was counted", doc.sentences([_HOW]), importance="record"),
    )


def series_of(result: Result) -> tuple[ReleaseSeries, ...]:
    """Over the upstream versions of the kernels that were booted."""
    releases = {name: b.kernel.upstream for b in result.recorded.boots for name in b.variants}
    return release_series(result.question, result.judged.slopes, releases)


def kernel_sentences(result: Result) -> list[str]:
    """The steps from release to release first, then what the numbers are and how sure."""
    series, margin = series_of(result), fmt.percent(result.question.margin)
    texts = _steps(series)
    if not texts and any(len(s.points) > 1 for s in series):
        no_step = f"No step of more than {margin} from one kernel to the next"
        texts = [f"{no_step} in {len(series)} series."]
    emulators = fmt.join(dict.fromkeys(b.emulator for b in result.recorded.boots)) or "QEMU"
    return [
        *(texts or [_largest(result)]),
        f"All numbers are instructions that {emulators} executed for the guest: simulated, not "
        "times. They do not include caches, branch prediction or the duration of an instruction.",
        *(*_repeated(result), *_disturbed(result)),
        *(*_departures(result), *not_built(result.recorded.builds, what="run")),
        *failed_sentences(result.recorded.failed),
    ]


def _steps(series: Sequence[ReleaseSeries]) -> list[str]:
    """One sentence for each pair of kernels with a step between them, in most series first."""
    groups = fmt.grouped(
        ((x.before.kernel, x.after.kernel), (s, x)) for s in series for x in s.steps
    )
    texts = []
    for (before, after), steps in sorted(groups.items(), key=lambda g: -len(g[1])):
        costs = [
            f"{number(x.after.slope)} instructions instead of {number(x.before.slope)} ({s.name})"
            for s, x in steps
        ]
        unit = steps[0][0].unit
        texts.append(f"From Linux {before} to {after} a {unit} takes {fmt.join(costs)}.")
    return texts


def _largest(result: Result) -> str:
    if different := decided(result.judged.verdicts):
        v = different[0]
        return (
            f"{fmt.quote(v.variant)} executes {number(v.ratio)} times as many instructions as "
            f"{fmt.quote(v.baseline)} on {fmt.quote(v.benchmark or '')}."
        )
    if result.judged.verdicts:
        return "No difference exceeds the margin."
    if not result.recorded.blocks:
        return "Nothing was counted."
    missing = fmt.quote(result.question.baselines[0])
    return f"Nothing can be compared: the baseline {missing} was not counted."


def _repeated(result: Result) -> Iterator[str]:
    """Whether the second boot counted as the first did."""
    if not result.recorded.boots:
        return
    boots = Counter(b.variants for b in result.recorded.boots)
    twice, who = sum(n > 1 for n in boots.values()), "Every machine was booted twice"
    if 0 < twice < len(boots):
        who = f"{twice} of {len(boots)} machines were booted twice"
    every = (
        counts(result.recorded.blocks, b.name, v.name)
        for b in result.question.benchmarks
        for v in result.question.measured
    )
    pairs = [pair for pair in every if len(pair) > 1]
    differing = [pair for pair in pairs if max(pair) > min(pair)]
    if not pairs:
        yield "Every machine was booted once, so repeatability is unknown."
    elif not differing:
        yield f"{who}: all {len(pairs)} counts were equal."
    else:
        yield (
            f"{who}: {len(differing)} of {len(pairs)} counts differ between boots, "
            f"by {max(map(spread, differing)) * 100:.2g} % at most."
        )


def _disturbed(result: Result) -> Iterator[str]:
    """How often the kernel interrupted; a warning where the guest's clock is of no use."""
    shares = [b.disturbed for b in result.recorded.boots]
    if shares and max(shares) > 0:
        most = max(b.most for b in result.recorded.boots)
        span = " to ".join(dict.fromkeys(f"{x:.0%}" for x in (min(shares), max(shares))))
        yield (
            f"The kernel interrupted {span} of the grants of a boot, for at most {number(most)} "
            "instructions; the smallest of equal grants counts."
        )
    for b in result.recorded.boots:
        if b.per_round is not None and abs(b.per_round - _ROUND) > _ROUND_OFF:
            yield (
                f"Read with care: under {b.kernel.name} a loop of two instructions took "
                f"{b.per_round:.2f} ticks of the clock, so ticks may not be instructions."
            )


def _departures(result: Result) -> Iterator[str]:
    line = max(result.judged.slopes, key=lambda line: abs(line.departure), default=None)
    if line is not None and abs(line.departure) < _EXACT:
        yield "Every point lies exactly on its straight line."
    elif line is not None:
        yield (
            f"The points lie on straight lines to within {number(abs(line.departure))} "
            f"instructions ({fmt.quote(line.variant)} at {line.departure_at} is furthest off)."
        )


def number(value: float) -> str:
    """A count with at most two decimals, and none that are 0: "17", "17.25", "1,064"."""
    text = f"{value:z,.2f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _factor(ratio: float) -> str:
    return f"{ratio:.{3 if abs(ratio - 1) < 0.1 else 2}f}x"


def slope_table(series: Sequence[ReleaseSeries]) -> doc.Table | None:
    """A row for each kernel, a column for each series: the cost of one more unit of the
    parameter; None where nothing has a parameter."""
    kernels = sorted({p.kernel for s in series for p in s.points}, key=version_key)

    def cell(series: ReleaseSeries, kernel: str) -> doc.Cell | None:
        slope = {p.kernel: p.slope for p in series.points}.get(kernel)
        step = next((s for s in series.steps if s.after.kernel == kernel), None)
        if slope is None or step is None:
            return doc.value_cell(slope, number)
        outcome: Outcome = "slower" if step.ratio > 1 else "faster"
        return doc.Cell(number(slope), f"({_factor(step.ratio)})", outcome, slope)

    rows = [(kernel, *(cell(s, kernel) for s in series)) for kernel in kernels]
    units = " or ".join(dict.fromkeys(s.unit for s in series))
    caption = f"Instructions for one more {units} (simulated, not time)"
    if any(s.steps for s in series):
        caption += "; in brackets a step from the kernel before"
    return doc.table(caption, ("Linux", *(s.name for s in series)), rows)


def count_table(result: Result) -> doc.Table | None:
    """What one loop of each benchmark takes, and against the main baseline."""
    main = result.question.baselines[0]
    against = {(v.benchmark, v.variant): v for v in result.judged.verdicts if v.baseline == main}

    def beside(verdict: Verdict | None) -> doc.Cell:
        if verdict is None:
            return doc.Cell("baseline")
        text = fmt.plain_text_of(verdict)
        if verdict.outcome == "same":
            return doc.Cell("same", text.value, "same", verdict.ratio)
        ends = "" if verdict.low == verdict.high else text.interval
        return doc.Cell(f"{_factor(verdict.ratio)} as many", ends, verdict.outcome, verdict.ratio)

    rows = []
    for variant in result.question.measured:
        for benchmark in result.question.benchmarks:
            if loops := counts(result.recorded.blocks, benchmark.name, variant.name):
                ends = dict.fromkeys(number(n) for n in (min(loops), max(loops)))
                least = doc.Cell(" to ".join(ends), number=min(loops))
                verdict = against.get((benchmark.name, variant.name))
                rows.append((variant.name, benchmark.name, least, beside(verdict)))
    columns = ("variant", "benchmark", *doc.right("instructions"), f"against {main}")
    return doc.table("Instructions of one loop (simulated, not time)", columns, rows, fixed=2)


def point_table(result: Result, series: Sequence[ReleaseSeries]) -> doc.Table | None:
    """Slope and intercept of each variant; None where nothing has a parameter."""
    lines = {(line.family, line.variant): line for line in result.judged.slopes}
    rows = [
        (
            *(
                p.kernel,
                s.name,
                doc.value_cell(p.slope, number),
                doc.value_cell(p.intercept, number),
            ),
            doc.value_cell(abs(lines[s.family, p.variant].departure), number),
        )
        for s in series
        for p in s.points
    ]
    more_of = f"for one more {series[0].unit}" if series else ""
    columns = ("Linux", "series", *doc.right(more_of, "with none", "largest departure"))
    return doc.table("Lines, in instructions", columns, rows, fixed=2)


def boot_table(result: Result) -> doc.Table | None:
    """Every kernel as it was booted, once for all boots that were alike."""
    boots = fmt.grouped(
        (
            (
                b.kernel.upstream,
                f"{b.kernel.package} {b.kernel.version} ({b.kernel.suite})",
                b.kernel.sha256[:12],
                b.facts.get("spectre_v2", "–"),
                b.facts.get("bpf_jit_harden", "–"),
                b.command_line,
            ),
            b.disturbed,
        )
        for b in result.recorded.boots
    )
    rows: list[doc.Row] = [
        (*key, doc.Cell(f"{max(shares):.1%}", number=max(shares)), len(shares))
        for key, shares in sorted(boots.items(), key=lambda item: version_key(item[0][0]))
    ]
    titles = ("Linux", "package", "image", "spectre_v2", "jit_harden", "parameters")
    columns = (*titles, *doc.right("disturbed", "boots"))
    return doc.table("Kernels, with the digest of each image", columns, rows)


def release_plot(result: Result) -> doc.Plot | None:
    """What the plot shows: for each series the slope and the count at each value of the parameter,
    kernel by kernel (None: not counted); and the places of its steps."""
    series = series_of(result)
    kernels = sorted({p.kernel for s in series for p in s.points}, key=version_key)
    at = sorted({b.parameter.value for b in result.question.benchmarks if b.parameter})
    lines = [_series(result, s, kernels, at) for s in series]
    data = {"kernels": kernels, "at": at, "series": lines}
    return doc.Plot("releases", {**data, "unit": series[0].unit}) if series else None


def _series(
    result: Result, series: ReleaseSeries, kernels: list[str], at: list[int]
) -> dict[str, Any]:
    points = {p.kernel: p for p in series.points}
    names = {
        b.parameter.value: b.name
        for b in result.question.benchmarks
        if b.parameter and b.parameter.family == series.family
    }

    def least(value: int, kernel: str) -> float | None:
        if value not in names or kernel not in points:
            return None
        variant = points[kernel].variant
        return min(counts(result.recorded.blocks, names[value], variant), default=None)

    return {
        "name": series.name,
        "slopes": [points[k].slope if k in points else None for k in kernels],
        "counts": [[least(value, kernel) for kernel in kernels] for value in at],
        "steps": [kernels.index(step.after.kernel) for step in series.steps],
    }
