"""Certainty of a result and its basis: confounds, noise, raw values, machine, method."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from statistics import median
from typing import Any

from whyfast.judge.ratios import over_layouts
from whyfast.model.result import Result
from whyfast.model.sample import Block
from whyfast.model.series import MEAN_AMOUNTS
from whyfast.model.study import Commands, Study
from whyfast.model.verdict import METRICS, About, VarianceComponents, Verdict
from whyfast.report.document import (
    Cell,
    FactTree,
    Plot,
    ReportSection,
    Sentence,
    Sentences,
    Table,
    group,
    right,
    section,
    sentences,
    table,
)
from whyfast.report.formatting import (
    RatioText,
    format_amount,
    format_bytes,
    format_percent,
    format_seconds,
    pluralize,
    quote,
    ratio_text,
)
from whyfast.report.sections.main_table import verdict_cell

#: From this many raw values on they are rounded to 4 significant digits, and the file says so.
MOST_EXACT = 200_000
_ABOUT: dict[About, str] = {
    "binaries": "The verdicts are about exactly these binaries; another layout of the same code "
    "may be faster or slower.",
    "change": "Every block ran in a fresh layout, so the verdicts are about the change, not about "
    "where the linker placed the code.",
    "commands": "The verdicts are about these commands as run, from start to end.",
    "runs": "The verdicts are about the recorded runs: anything else that changed between two runs "
    "is part of the difference.",
}
_HOW = (
    "A block runs every variant of a benchmark once, in fresh processes. Their order, CPU and "
    "turns are drawn at random, so that drift of the machine affects all variants alike. Each "
    "block yields one logarithm of the ratio of times. The interval is the inversion of a "
    "sequential test, valid after every block. Benchmarks are combined by their geometric mean, "
    "and the false discovery rate among them is controlled. MATH.md in the documentation of "
    "whyfast derives each figure."
)
_HOW_RUNS = (
    "The values of one process count as one value. Each interval is a t interval on trimmed means "
    "of the logarithms of the times of processes. Benchmarks are combined by their geometric mean, "
    "and the share of wrong verdicts is controlled. math/runs.md in the documentation of whyfast "
    "derives each figure."
)
_MORE_OR_LESS = {"slower": "more", "faster": "less", "": ""}
_FORMATS = {"user": format_seconds, "system": format_seconds, "maxrss": format_bytes}


def confound_section(result: Result) -> ReportSection | None:
    """What could mislead, warnings first."""
    ordered = sorted(result.judged.confounds, key=lambda c: c.severity != "warning")
    items = tuple(Sentence(c.text, c.severity) for c in ordered)
    text = Sentences(items) if items else None
    return section("confounds", "Read with care", text, importance="answer")


def certainty_section(result: Result) -> ReportSection | None:
    """How sure the verdicts are, and of what they speak."""
    text = sentences(how_sure(result), aside=True)
    return section("certainty", "Certainty", text, importance="answer")


def how_sure(result: Result) -> tuple[str, ...]:
    """Sentences on confidence, the number of blocks, what an interval means, and the scope."""
    about = result.judged.about
    verdicts = [*result.judged.verdicts, *(s.verdict for s in result.judged.suites)]
    if about == "counts" or not verdicts:
        return ()  # of counts the answer says it: there is no chance in exact counts
    confidence = format_percent(min(v.confidence for v in verdicts))
    if about == "runs":
        numbers = sorted(v.blocks for v in verdicts)
        processes = "1 process" if numbers[-1] == 1 else f"{numbers[-1]} processes"
        start = (
            f"A ratio compares the means over processes, {_span(numbers, processes)} per file; "
            "the values of one process count as one value. [low, high] is a t interval on trimmed "
            f"means of their logarithms, at {confidence} confidence or more, so that at most 5 % "
            "of all verdicts are expected to be wrong (false coverage rate)."
        )
    else:
        numbers = sorted(v.blocks for v in result.judged.verdicts) or sorted(
            v.blocks for v in verdicts
        )
        start = (
            f"[low, high] contains the true ratio with {confidence} confidence, after any number "
            f"of looks; {_span(numbers, pluralize(numbers[-1], 'block'))} per benchmark."
        )
    more = "" if about == "runs" else ', "undecided" that more blocks are needed'
    return (
        start,
        f"The margin is {format_percent(result.question.margin)}: "
        f'"same" means that the interval lies within it{more}.',
        _ABOUT[about],
        *shell_sentences(result),
        *pinning_sentences(result.recorded.blocks),
        *_used_up(result),
    )


def shell_sentences(result: Result) -> Iterator[str]:
    """Through which shell commands ran, if any."""
    asked = result.question
    if isinstance(asked, Commands) and asked.shell:
        yield f"All commands ran through `{asked.shell} -c`; times include the start of that shell."


def _used_up(result: Result) -> Iterator[str]:
    """Where measuring ended because no further layout was there."""
    study = result.question
    layouts = study.measure.layouts if isinstance(study, Study) else 0
    if not layouts:
        return
    taken = Counter(b.benchmark for b in over_layouts(result.recorded.blocks))
    open_ = {
        v.benchmark for v in result.judged.verdicts if v.outcome == "undecided" and v.benchmark
    }
    names = sorted(name for name in open_ if taken[name] >= layouts)
    if names:
        # All blocks count towards the budget, those as linked too.
        used = sum(b.seconds for b in result.recorded.blocks)
        unused = study.measure.budget - used if isinstance(study, Study) else 0.0
        left = ""
        if unused > 1.0 and used > 0:
            fill = int(layouts * study.measure.budget / used) if isinstance(study, Study) else 0
            left = f", {format_seconds(unused)} of the budget unused; layouts = {fill} would use it"
        yield (
            f"No layouts left: on {', '.join(map(quote, names))} all {layouts} were used before a "
            f"decision{left}; layouts = {4 * layouts} in [measure] would halve the interval."
        )


def pinning_sentences(blocks: Iterable[Block]) -> Iterator[str]:
    """Whether processes were bound to one CPU, and what has several threads; none of kernels."""
    bound: dict[str, bool] = {}
    threads: dict[str, int] = {}
    for block in blocks:
        bound[block.benchmark] = block.cpu is not None
        for variant, number in block.threads.items():
            threads[variant] = max(number, threads.get(variant, 1))
    several = [f"{quote(v)} has {n} threads at work" for v, n in threads.items() if n > 1]
    why = f" ({', '.join(several)})" if several else ""
    free = [name for name, pinned in bound.items() if not pinned]
    if bound and not free:
        yield "All processes of a block were pinned to one CPU, drawn at random for each block."
    elif len(free) == len(bound) and bound:
        yield f"No process was pinned to a CPU{why}."
    elif free:
        names = ", ".join(map(quote, free))
        yield (
            "The processes of a block were pinned to one CPU, drawn at random for each block, "
            f"except on {names}{why}."
        )


def _span(numbers: list[int], most: str) -> str:
    return most if numbers[0] == numbers[-1] else f"{numbers[0]} to {most}"


#: The most other quantities in a short report.
MOST_METRICS = 12


def metric_section(result: Result) -> ReportSection | None:
    """What the kernel accounted for commands beside their time."""
    return section("metrics", "Other quantities", metric_table(result))


def metric_table(result: Result) -> Table | None:
    """Each quantity with its verdict and the medians of both sides; None without any.

    A short report has those only in which the two sides certainly differ, and of many the largest.
    """
    full = _metric_table(result, result.judged.metrics)
    decided = [v for v in result.judged.metrics if v.outcome in ("faster", "slower")]
    if len(decided) > MOST_METRICS:  # of files with hundreds of quantities the largest
        decided = sorted(decided, key=lambda v: -abs(math.log(v.ratio)))[:MOST_METRICS]
    if full is None or len(decided) == len(result.judged.metrics):
        return full
    return replace(full, short=_metric_table(result, decided) or replace(full, rows=()))


def _metric_table(result: Result, chosen: Iterable[Verdict]) -> Table | None:
    medians = _medians(result)
    chosen = list(chosen)
    rows: list[tuple[Cell | str | None, ...]] = [
        (
            *(METRICS.get(v.metric, v.metric), v.variant),
            *(_amount(medians, v.variant, v.metric), _difference(v)),
            _amount(medians, v.baseline, v.metric),
        )
        for v in chosen
    ]
    baseline = chosen[0].baseline if chosen else next(iter(result.question.baselines), "")
    if result.judged.about == "commands":
        rows += _small_side(result, medians, baseline)
    against = f"against {baseline}"
    columns = ("quantity", "variant", *right("median"), against, *right("its median"))
    return table("Other quantities", columns, rows, fixed=2)


def _small_side(
    result: Result, medians: dict[tuple[str, str], float], baseline: str
) -> Iterator[tuple[Cell | str | None, ...]]:
    """Peak memory where one side is too small to be measured: it is below the other all the same.

    The kernel includes the peak of the parent process, so smaller peaks cannot be measured.
    """

    def shown_peak(name: str) -> Cell | None:
        if (name, "maxrss") in medians:
            return _amount(medians, name, "maxrss")
        below = medians.get((name, "maxrss_below"))
        return None if below is None else Cell(f"under {format_bytes(below)}")

    for name in (v.name for v in result.question.variants if v.name != baseline):
        if ((name, "maxrss") in medians) != ((baseline, "maxrss") in medians):
            ends = shown_peak(name), shown_peak(baseline)
            if None not in ends:
                outcome = "more" if (name, "maxrss") in medians else "less"
                yield METRICS["maxrss"], name, ends[0], outcome, ends[1]


def more_or_less(text: RatioText, metric: str) -> str:
    """``1.37x more``, ``2.10x less``; of what is counted, ``fewer``."""
    outcome = _MORE_OR_LESS[text.direction]
    if outcome == "less" and metric.endswith(("_faults", "_switches")):
        outcome = "fewer"
    return f"{text.value} {outcome}".rstrip()


def _difference(verdict: Verdict) -> Cell:
    cell = verdict_cell(verdict)
    text = ratio_text(verdict.ratio, verdict.low, verdict.high)
    factor = more_or_less(text, verdict.metric)
    if verdict.outcome == "undecided":
        return replace(cell, detail=f"{factor} {text.interval}")
    return cell if verdict.outcome == "same" else replace(cell, text=factor)


def _medians(result: Result) -> dict[tuple[str, str], float]:
    found: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for session in result.recorded.sessions:
        amounts = session.environment.get(MEAN_AMOUNTS)
        if isinstance(amounts, Mapping):
            for metric, amount in amounts.items():
                found[session.id, metric].append(float(amount))
    for block in result.recorded.blocks:
        for variant, quantities in block.extra.items():
            for metric, values in quantities.items():
                found[variant, metric].extend(values)
    return {key: median(values) for key, values in found.items() if values}


def _amount(medians: dict[tuple[str, str], float], variant: str, metric: str) -> Cell | None:
    value = medians.get((variant, metric))
    if value is None:
        return None
    known = _FORMATS.get(metric)
    return Cell(format_amount(value) if known is None else known(value), number=value)


def raw_section(result: Result) -> ReportSection | None:
    """Every raw value, where there is room."""
    blocks = result.recorded.blocks
    if not blocks:
        return None
    number = value_count(blocks)
    text = f"{pluralize(number, 'value')} in {pluralize(len(blocks), 'block')}"
    if number > MOST_EXACT:
        text += ", rounded to 4 significant digits to keep this file small"
    plot = Plot(
        "raw",
        raw_data(result),
        "The raw values need JavaScript; they are at the end of this file.",
    )
    return section("raw", "Every raw value", sentences([f"{text}."]), plot, importance="record")


def raw_data(result: Result) -> dict[str, Any]:
    """Every raw value in seconds, by benchmark and block; variants by their index."""
    rounded = value_count(result.recorded.blocks) > MOST_EXACT
    names = [v.name for v in result.question.variants]
    names += [name for block in result.recorded.blocks for name in block.values]
    index = {name: i for i, name in enumerate(dict.fromkeys(names))}
    benchmarks: dict[str, list[dict[str, Any]]] = {}
    for block in result.recorded.blocks:
        benchmarks.setdefault(block.benchmark, []).append(_block(block, index, rounded))
    return {
        "rounded": rounded,
        "variants": list(index),
        "benchmarks": [{"name": name, "blocks": blocks} for name, blocks in benchmarks.items()],
    }


def value_count(blocks: Iterable[Block]) -> int:
    """How many raw values there are."""
    return sum(len(values) for block in blocks for values in block.values.values())


def _block(block: Block, index: dict[str, int], rounded: bool) -> dict[str, Any]:
    return {
        "index": block.index,
        "session": block.session,
        "cpu": block.cpu,
        "loops": block.loops,
        "warmups": block.warmups,
        "seed": block.seed,
        "started": block.started,
        "order": [[index[name] for name in turn] for turn in block.order],
        "values": {
            str(index[name]): [float(f"{v:.4g}") for v in values] if rounded else list(values)
            for name, values in block.values.items()
        },
    }


def machine_section(result: Result) -> ReportSection | None:
    """The environment of each session."""
    sessions = [
        group(f"Session {s.id}, started {when(s.started)}", FactTree(s.environment))
        for s in result.recorded.sessions
    ]
    return section("environment", "The machine", *sessions, importance="record")


def when(seconds: float) -> str:
    """A time given in seconds since the epoch; one that no calendar has, as a file may say, as it
    is."""
    try:
        return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, ValueError, OSError):
        return f"{seconds:g} s after 1970"


def method_sections(result: Result) -> tuple[ReportSection | None, ReportSection | None]:
    """Noise and time spent; and how it was computed."""
    judged = result.judged.verdicts or result.judged.suites
    how = _HOW_RUNS if result.judged.about == "runs" else _HOW
    return (
        section(
            "noise",
            "Noise and time",
            noise_table(result),
            phase_table(result),
            importance="detail",
        ),
        section(
            "how", "How it was computed", sentences([how] if judged else []), importance="record"
        ),
    )


def noise_table(result: Result) -> Table | None:
    """Where the noise of each comparison comes from, and how the benchmarks were measured."""
    components = result.judged.components
    loops = {c.benchmark: c for c in result.recorded.calibrations}
    varied = any(x.layout is not None for x in components)
    rows = []
    for x in components:
        c = loops.get(x.benchmark)
        turns = pluralize(c.turns if c else x.turns, "turn")
        block = f"{turns} of {format_seconds(c.value)}" if c else turns
        single = (c.turns if c else x.turns) == 1  # then nothing is known of values
        deviations = (None if single else x.value, x.process, *((x.layout,) if varied else ()))
        rows.append((x.benchmark, x.variant, *map(_deviation, deviations), block, _set_aside(x)))
    levels = right("value", "process", *(("layout",) if varied else ()))
    baseline = quote(components[0].baseline) if components else ""
    title = f"Noise of one ratio to {baseline}: standard deviations by level"
    return table(title, ("benchmark", "variant", *levels, "a block", "set aside"), rows)


def _deviation(sigma: float | None) -> Cell | None:
    return None if sigma is None else Cell(f"{sigma * 100:.2g} %", number=sigma)


def _set_aside(x: VarianceComponents) -> str:
    if x.drifts:
        return "no steady state"
    return f"first {x.non_stationary} of {x.turns} values" if x.non_stationary else "nothing"


def phase_table(result: Result) -> Table | None:
    """Wall time by phase; None when none was recorded."""
    seconds = result.recorded.seconds.items()
    rows = [(name, Cell(format_seconds(s), number=s)) for name, s in seconds]
    return table("Time spent", ("phase", *right("time")), rows)
