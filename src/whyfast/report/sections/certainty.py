"""Certainty of a result and its basis: confounds, noise, other quantities, method."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median

from whyfast.judge.ratios import over_layouts, over_profiles
from whyfast.model.cost import COSTS
from whyfast.model.result import Result
from whyfast.model.sample import MEAN_AMOUNTS, Block
from whyfast.model.study import Commands, Study
from whyfast.model.verdict import (
    BUILD_METRICS,
    METRICS,
    About,
    Confound,
    Verdict,
)
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections import main_table

_ABOUT: dict[About, str] = {
    "binaries": "The verdicts are about exactly these binaries; another layout of the same code "
    "may be faster or slower.",
    "change": "Every block ran in a fresh layout, so the verdicts are about the change, not about "
    "where the linker placed the code.",
    "commands": "The verdicts are about these commands as run, from start to end.",
    "runs": "The verdicts are about the recorded runs: anything else that changed between two runs "
    "is part of the difference.",
}
_TRAINED = (
    "Every block ran programs that were trained once more, so the verdicts are about the change, "
    "not about one profile or where the linker placed the code."
)
_LOOPS = (
    "The verdicts are about these loops in these interpreters, with the data of the setup in the "
    "caches."
)
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
_TITLES = {**METRICS, **BUILD_METRICS}
_FORMATS: Mapping[str, Callable[[float], str]] = {
    "build-time": fmt.seconds,
    "build-memory": fmt.size,
    "user": fmt.seconds,
    "system": fmt.seconds,
    "maxrss": fmt.size,
}


def warnings_of(confounds: Iterable[Confound]) -> list[Confound]:
    """What can mislead."""
    return [c for c in confounds if c.severity == "warning"]


def care_section(confounds: Iterable[Confound]) -> doc.ReportSection | None:
    """What could mislead, warnings first."""
    ordered = sorted(confounds, key=lambda c: c.severity != "warning")
    items = tuple(doc.Sentence(c.text, c.severity) for c in ordered)
    text = doc.Sentences(items) if items else None
    return doc.section("confounds", "Read with care", text, importance="answer")


def how_sure(result: Result) -> tuple[str, ...]:
    """Sentences on confidence, the number of blocks, what an interval means, and the scope."""
    about, margin = result.judged.about, fmt.percent(result.question.margin)
    single = result.judged.verdicts
    verdicts = [*single, *(s.verdict for s in result.judged.suites)]
    if about == "counts" or not verdicts:
        return ()  # of counts the answer says it: there is no chance in exact counts
    confidence = fmt.percent(min(v.confidence for v in verdicts))
    numbers = sorted(v.blocks for v in (verdicts if about == "runs" else single or verdicts))
    several = f"{numbers[0]} to " if numbers[0] != numbers[-1] else ""
    more = ', "undecided" that more blocks are needed'
    start = (
        f"[low, high] contains the true ratio with {confidence} confidence, after any number "
        f"of looks; {several}{fmt.pluralize(numbers[-1], 'block')} per benchmark."
    )
    if about == "runs":
        start = (
            f"A ratio compares the means over processes, {several}"
            f"{fmt.pluralize(numbers[-1], 'process')} per file; the values of one process count as "
            "one value. [low, high] is a t interval on trimmed means of their logarithms, at "
            f"{confidence} confidence or more, so that at most 5 % of all verdicts are expected to "
            "be wrong (false coverage rate)."
        )
        more = ""
    trained = about == "change" and any(b.profiles for b in result.recorded.blocks)
    return (
        start,
        f'The margin is {margin}: "same" means that the interval lies within it{more}.',
        _LOOPS if result.found.loops else _TRAINED if trained else _ABOUT[about],
        *shell_sentences(result),
        *pinning_sentences(result.recorded.blocks),
        *_used_up(result),
    )


def shell_sentences(result: Result) -> Iterator[str]:
    """Through which shell commands ran, if any."""
    asked = result.question
    turns = any(b.kind.takes_turns for b in asked.benchmarks)
    if isinstance(asked, Commands) and asked.shell and not turns:
        yield f"All commands ran through `{asked.shell} -c`; times include the start of that shell."


def _used_up(result: Result) -> Iterator[str]:
    """Where measuring ended because no further layout or profile was there."""
    study, every = result.question, result.recorded.blocks
    if not isinstance(study, Study):
        return
    blocks, word, layouts = over_profiles(every), "profiles", study.measure.profiles
    if not blocks:
        blocks, word, layouts = over_layouts(every), "layouts", study.measure.layouts
    taken = Counter(b.benchmark for b in blocks)
    undecided = {v.benchmark for v in result.judged.verdicts if v.outcome == "undecided"}
    names = sorted(name for name in undecided if name and taken[name] >= layouts)
    if layouts and names:
        # All blocks count towards the budget, those as linked too.
        used, budget = sum(b.seconds for b in every), study.measure.budget
        left = ""
        if budget - used > 1.0 and used > 0:
            fill, unused = int(layouts * budget / used), fmt.seconds(budget - used)
            left = f", {unused} of the budget unused; {word} = {fill} would use it"
        samples = [v.small_sample for v in result.judged.verdicts if v.benchmark in names]
        needed = max((s.needed for s in samples if s is not None), default=0)
        more = f"{4 * layouts} in [measure] would halve the interval"
        if needed > layouts:
            more = f"{needed} in [measure] is the least for a verdict on each of these"
        yield (
            f"No {word} left: on {', '.join(map(fmt.quote, names))} all {layouts} were used before "
            f"a decision{left}; {word} = {more}."
        )


def pinning_sentences(blocks: Iterable[Block]) -> Iterator[str]:
    """Whether processes were bound to one CPU, and what has several threads; none of kernels."""
    bound: dict[str, bool] = {}
    threads: Counter[str] = Counter()
    for block in blocks:
        bound[block.benchmark] = block.cpu is not None
        threads |= Counter(block.threads)
    several = [f"{fmt.quote(v)} has {n} threads at work" for v, n in threads.items() if n > 1]
    why = f" ({', '.join(several)})" if several else ""
    free = [fmt.quote(name) for name, pinned in bound.items() if not pinned]
    pinned = "pinned to one CPU, drawn at random for each block"
    if free and len(free) == len(bound):
        yield f"No process was pinned to a CPU{why}."
    elif free:
        yield f"The processes of a block were {pinned}, except on {', '.join(free)}{why}."
    elif bound:
        yield f"All processes of a block were {pinned}."


#: The most other quantities in a short report.
MOST_METRICS = 12


def metric_table(result: Result) -> doc.Table | None:
    """Each quantity with its verdict and the medians of both sides; None without any. A short
    report has those only in which the two sides certainly differ, and of many the largest."""
    every, different = result.judged.metrics, main_table.decided(result.judged.metrics)
    full = _metric_table(result, every)
    if len(different) <= MOST_METRICS:  # in the order of all
        different = [v for v in every if v in different]
    if full is None or len(different) == len(every):
        return full
    short = _metric_table(result, different[:MOST_METRICS])
    return replace(full, short=short or replace(full, rows=()))


def _metric_table(result: Result, chosen: Sequence[Verdict]) -> doc.Table | None:
    several = isinstance(result.question, Study) and len(result.question.benchmarks) > 1
    medians = medians_of(result)
    per = {v.benchmark: medians_of(result, v.benchmark) for v in chosen} if several else {}

    def difference(verdict: Verdict) -> doc.Cell:
        cell, text = main_table.verdict_cell(verdict), fmt.text_of(verdict)
        factor = more_or_less(text, verdict.metric)
        if verdict.outcome == "undecided":
            return replace(cell, detail=f"{factor} {text.interval}")
        return cell if verdict.outcome == "same" else replace(cell, text=factor)

    rows: list[doc.Row] = [
        (
            *(_TITLES.get(v.metric, v.metric), v.benchmark, v.variant),
            _amount(per.get(v.benchmark, medians), v.variant, v.metric),
            difference(v),
            _amount(per.get(v.benchmark, medians), v.baseline, v.metric),
        )
        for v in chosen
    ]
    baseline = chosen[0].baseline if chosen else next(iter(result.question.baselines), "")
    if result.judged.about == "commands":
        rows += _small_side(result, medians, baseline)
    names = ("quantity", "benchmark" if several else None, "variant")
    columns = (*names, *doc.right("median"), f"against {baseline}", *doc.right("its median"))
    return doc.table("Other quantities", columns, rows, fixed=3)


def _small_side(
    result: Result, medians: dict[tuple[str, str], float], baseline: str
) -> Iterator[doc.Row]:
    """Peak memory where one side is too small to be measured: it is below the other all the same.
    The kernel includes the peak of the parent process, so smaller peaks cannot be measured."""

    def shown_peak(name: str) -> doc.Cell | None:
        if (name, "maxrss") in medians:
            return _amount(medians, name, "maxrss")
        below = medians.get((name, "maxrss_below"))
        return None if below is None else doc.Cell(f"under {fmt.size(below)}")

    measured = (baseline, "maxrss") in medians
    for name in (v.name for v in result.question.variants if v.name != baseline):
        peaks = shown_peak(name), shown_peak(baseline)
        if ((name, "maxrss") in medians) != measured and None not in peaks:
            yield METRICS["maxrss"], None, name, peaks[0], "less" if measured else "more", peaks[1]


def more_or_less(text: fmt.RatioText, metric: str) -> str:
    """``1.37x more``, ``2.10x less``; of what is counted, ``fewer``."""
    less = "fewer" if metric.endswith(("_faults", "_switches")) else "less"
    word = {"slower": "more", "faster": less, "": ""}[text.direction]
    return f"{text.value} {word}".rstrip()


def medians_of(result: Result, benchmark: str | None = None) -> dict[tuple[str, str], float]:
    """The median of each (variant, quantity) that came with the values, on that benchmark or all;
    and of what was counted or built without one."""
    amounts_of: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for session in result.recorded.sessions:
        amounts = session.environment.get(MEAN_AMOUNTS)
        if isinstance(amounts, Mapping):
            for metric, amount in amounts.items():
                amounts_of[session.id, metric].append(float(amount))
    for c in result.found.costs:
        # What was measured, but not in blocks.
        if c.value is not None and COSTS[c.key].kind == "statistical":
            amounts_of[c.variant, COSTS[c.key].metric].append(c.value)
    for block in result.recorded.blocks:
        if benchmark is not None and block.benchmark != benchmark:
            continue
        for variant, quantities in block.extra.items():
            for metric, values in quantities.items():
                amounts_of[variant, metric].extend(values)
    return {key: median(values) for key, values in amounts_of.items() if values}


def _amount(medians: dict[tuple[str, str], float], variant: str, metric: str) -> doc.Cell | None:
    return doc.value_cell(medians.get((variant, metric)), _FORMATS.get(metric, fmt.amount))


def method(result: Result) -> doc.Sentences | None:
    """How verdicts were computed, where there are any."""
    judged = result.judged.verdicts or result.judged.suites
    return doc.sentences([_HOW_RUNS if result.judged.about == "runs" else _HOW] if judged else [])


def noise_section(result: Result) -> doc.ReportSection | None:
    """Where noise comes from, how benchmarks were measured, and wall time by phase."""
    phases = [(name, doc.seconds_cell(s)) for name, s in result.recorded.seconds.items()]
    spent = doc.table("Time spent", ("phase", *doc.right("time")), phases)
    return doc.detail("noise", "Noise and time", _noise_table(result), spent)


def _noise_table(result: Result) -> doc.Table | None:
    components = result.judged.components
    loops = {c.benchmark: c for c in result.recorded.calibrations}
    varied = any(x.layout is not None for x in components)
    rows = []
    for x in components:
        c = loops.get(x.benchmark)
        turns = c.turns if c else x.turns
        block = f"{fmt.pluralize(turns, 'turn')}{f' of {fmt.seconds(c.value)}' if c else ''}"
        value = None if turns == 1 else x.value  # of single values nothing is known
        cells = (doc.value_cell(s, fmt.rough) for s in (value, x.process, x.layout))
        aside = "nothing"
        if x.drifts:
            aside = "no steady state"
        elif x.non_stationary:
            aside = f"first {x.non_stationary} of {x.turns} values"
        rows.append((x.benchmark, x.variant, *cells, block, aside))
    levels = (*doc.right("value", "process"), *(doc.right("layout") if varied else (None,)))
    baseline = fmt.quote(components[0].baseline) if components else ""
    title = f"Noise of one ratio to {baseline}: standard deviations by level"
    return doc.table(title, ("benchmark", "variant", *levels, "a block", "set aside"), rows)
