"""How the programs of a search compare, by whatever was compared."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import median

import numpy as np

from whyfast.model.code import ChangeCoverage
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections import changed_code
from whyfast.report.sections.why import named_causes
from whyfast.search.posterior import ENDS_NOISE, Posterior, robust_noise
from whyfast.search.results import SearchResult, StepEvidence
from whyfast.search.state import MEASURED, Interval, Observation, Quantity, exact
from whyfast.search.view import Trial, attempts, view

#: What a higher cost, and a lower one, has more or less of; see
#: :func:`whyfast.search.study_subject.counting`.
_COUNTED: Mapping[Quantity, tuple[str, str]] = {
    "instructions": ("more instructions", "fewer instructions"),
    "indirect-jumps": ("fewer indirect jumps", "more indirect jumps"),
    "size": ("more code and data", "less code and data"),
    "allocations": ("more allocations", "fewer allocations"),
    "peak-heap": ("more peak heap", "less peak heap"),
    "peak-memory": ("more peak memory", "less peak memory"),
    "build-time": ("more build time", "less build time"),
}


#: Beyond this, exp of a log ratio overflows: the ratio is unbounded.
_LARGEST = 700.0


def compares(quantity: Quantity, ratio: Interval | None) -> str:
    """A log ratio of costs as the end of a sentence: ``is 1.37x slower [1.35, 1.39]``, or of
    counts, which have no interval, ``has 1.37x more instructions``."""
    if ratio is None:
        return "was not measured"
    if quantity != "time":
        more, fewer = _COUNTED[quantity]
        counted = f"has {_factor(ratio.estimate)}x {more if ratio.estimate >= 0 else fewer}"
        if quantity not in MEASURED or not math.isfinite(ratio.low + ratio.high):
            return counted
        ends = sorted(math.exp(abs(x)) for x in (ratio.low, ratio.high))
        return f"{counted} [{ends[0]:.4g}, {ends[1]:.4g}]"
    if not math.isfinite(ratio.low + ratio.high):
        estimate = math.exp(ratio.estimate)
        return f"is about {fmt.exact_text(estimate).factor}"
    logs = (ratio.estimate, ratio.low, ratio.high)
    text = fmt.ratio_text(*(math.exp(x) if x < _LARGEST else math.inf for x in logs))
    factor = f"{text.factor} slower" if text.factor.endswith("x") else text.factor  # of 1.00x
    return f"is {factor} {text.interval}".strip()


def alike(quantity: Quantity, ends: Interval | None, good: str, bad: str) -> str:
    """That the ends do not differ by the margin, as a clause with their ratio."""
    same = f"{bad} {'takes as long' if quantity == 'time' else 'costs as much'} as {good}"
    if ends is None or (quantity not in MEASURED and _factor(ends.estimate) == "1"):
        return same
    if surely_unlike(quantity, ends):
        return f"{bad} {compares(quantity, ends)} than {good}, less than the margin"
    return f"{same} (it {compares(quantity, ends)})"


#: The answer where the bad end is the better one, and the end of one where placement alone shows;
#: both begin with how the ends compare.
SWAPPED = "The ends are swapped: {}; exchange good and bad."
PLACED = "{} as linked, and the difference disappears in other layouts of the same code."


def surely_unlike(quantity: Quantity, ends: Interval | None) -> bool:
    """Whether there is a difference, even one below the margin."""
    if ends is None or not math.isfinite(ends.low + ends.high):
        return False
    if quantity not in MEASURED and _factor(ends.estimate) == "1":
        return False
    return not ends.low <= 0 <= ends.high


def _factor(estimate: float) -> str:
    return f"{math.exp(abs(estimate)):.4g}"


# The posterior by step, and every measured candidate.

#: Half of an interval, in standard errors, and the error of a median in those of a mean.
_ERRORS, _OF_MEDIAN = 1.96, 1.2533
#: Gaps less likely than this are left out of the table.
_LEAST = 0.001


def belief_of(result: SearchResult) -> Posterior | None:
    """The posterior in the end, None where it was never known."""
    state = result.state
    return view(state, attempts(state.observations, state.task.known)).belief


def posterior_plot(result: SearchResult) -> doc.Plot | None:
    """The posterior over the places of the step, and under it what was measured."""
    belief = belief_of(result)
    if belief is None:
        return None
    ratios, where, measured = _ratios(result), result.answer.where, []
    for at, (*logs, blocks) in ratios.items():
        ratio, low, high = map(math.exp, logs)
        ends = {"ratio": ratio, "low": low, "high": high}
        measured.append({"at": at, "n": blocks, **ends, "text": " ".join(_printed(*logs))})
    data = {
        "gaps": [dict(zip(("low", "high", "share"), gap, strict=True)) for gap in _gaps(belief)],
        "measured": measured,
        "skipped": sorted(result.state.skipped),
        "names": {str(c): result.candidates[c].title for c in ratios},
        "steps": [[where.first, where.last]] if where else [],
        "last": len(result.candidates) - 1,
    }
    return doc.Plot("search", data)


def posterior_table(result: SearchResult) -> doc.Table | None:
    """Where a step may lie, with its probability, all hypotheses counted."""
    belief = belief_of(result)
    rows = []
    for low, high, share in _gaps(belief) if belief else ():
        if share >= _LEAST:
            first, last = fmt.quote(result.at(low + 1).title), fmt.quote(result.at(high).title)
            name = f"{first} … {last} ({high - low})" if high > low + 1 else last
            rows.append((name, doc.Cell(f"{min(share, 1.0):.3f}", number=share)))
    return doc.table("Where a step may lie", ("at", *doc.right("probability")), rows)


def _gaps(belief: Posterior) -> Iterator[tuple[int, int, float]]:
    """The places of a step: (measured candidate before, next one, probability)."""
    for low, high, share in zip(belief.bounds, belief.bounds[1:], belief.some, strict=False):
        yield low, high, float(share)


def measured_table(result: SearchResult) -> doc.Table | None:
    """One row per candidate, in order: the median ratio to the good end, with its interval."""
    title = "Relative to the good end"
    ratios = [(fmt.quote(result.candidates[c].title), *r) for c, r in _ratios(result).items()]
    if exact(result.state):
        counted = [(name, f"{math.exp(mid):.4g}") for name, mid, *_ in ratios]
        return doc.table(title, ("candidate", *doc.right("ratio")), counted)
    rows = [(name, n, *_printed(mid, low, high)) for name, mid, low, high, n in ratios]
    return doc.table(title, ("candidate", *doc.right("blocks", "ratio", "± 2 errors")), rows)


def _printed(middle: float, low: float, high: float) -> tuple[str, str]:
    """A ratio and its interval, of their logarithms, with the digits that the interval carries."""
    text = fmt.plain_ratio_text(math.exp(middle), math.exp(low), math.exp(high))
    return text.value.removesuffix("x"), text.interval


def _ratios(result: SearchResult) -> dict[int, tuple[float, float, float, int]]:
    """For each candidate the median log ratio to the good end, its interval, and blocks. The
    interval is 1.96 standard errors of a median, from the noise of all blocks of the ends: an aid
    to the eye, not a verdict."""
    blocks = result.state.observations
    ends = [block.ends for block in blocks]
    logs = fmt.grouped((r.candidate, r.to_good) for block in blocks for r in block.readings)
    if ends:
        logs.setdefault(len(result.candidates) - 1, []).extend(ends)
    # Of a log ratio of two programs: that of the ends.
    noise = robust_noise(np.array(ends)) * ENDS_NOISE if ends else 0.0
    ratios = {}
    for candidate, values in sorted(logs.items()):
        middle = median(values)
        half = _ERRORS * noise * (_OF_MEDIAN if len(values) > 2 else 1.0) / math.sqrt(len(values))
        ratios[candidate] = (middle, middle - half, middle + half, len(values))
    return ratios


# What differs between a culprit and its parent.

#: Functions whose code is shown.
_SHOWN = 3


def because(evidence: StepEvidence) -> str:
    """The most important difference, as the end of a sentence; empty without one. The causes in an
    account of the step come first, then functions that a benchmark executes, by their cost."""
    if text := named_causes(evidence.account):
        return text
    code = evidence.code
    if code.same:
        return "its machine code is its parent's, so the cause is outside the program's code"
    by_name = {f.name: f for f in code.reached}
    executed = (by_name.get(n) for r in evidence.reaches for n in r.executes or ())
    if function := next(filter(None, executed), None):
        return f"{changed_code.change_sentence(function)}, which the benchmark executes"
    if evidence.reaches and all(r.placement_only for r in evidence.reaches):
        return "no benchmark executes a function that differs: only the placement of its code does"
    changed = max(code.reached, key=lambda f: abs(f.sizes[1] - f.sizes[0]), default=None)
    return changed_code.change_sentence(changed) if changed else ""


def evidence_sentences(evidence: StepEvidence) -> Iterator[str]:
    """Functions, who executes them, dispatch, and source."""
    code = evidence.code
    if code.same:
        how = "byte by byte" if code.identical else "up to addresses"
        yield f"The machine code of culprit and parent is the same {how}."
    elif code.reached:
        names, many = changed_code.some_code(f.name for f in code.reached), len(code.reached)
        yield f"The machine code of {fmt.pluralize(many, 'function')} differs: {names}."
        inlined = [f for f in code.reached if f.calls or f.called]
        yield from (f"{changed_code.change_sentence(f)}." for f in inlined[: changed_code.NAMES])
    unknown = "It cannot be shown that nothing else differs"
    yield from (f"{unknown}: {reason}." for reason in code.reasons[: changed_code.NAMES])
    yield from map(_reach, evidence.reaches)
    if evidence.dispatch is not None:
        (old, before), (new, after) = (
            (d.form, fmt.pluralize(d.indirect_jumps, "indirect jump")) for d in evidence.dispatch
        )
        same = (old, before) == (new, after)
        change = f"went from {old} ({before}) to {new} ({after.split(' ')[0]})"
        yield f"The dispatch {f'is the same: {new}, {after}' if same else change}."
    if evidence.files:
        yield f"In the source it changes {changed_code.some_code(evidence.files)}."


def _reach(reach: ChangeCoverage) -> str:
    name = fmt.quote(reach.benchmark)
    if reach.executes is None:
        return f"Unknown whether {name} executes the functions that differ: {reach.why}."
    if not reach.executes:
        return f"{name} executes no function that differs; only the placement of its code does."
    text = f"{name} executes {changed_code.some_code(reach.executes)}"
    if reach.instructions is not None:
        before, after = reach.instructions
        text += f"; {before:,.0f} instructions became {after:,.0f}, simulated"
    return f"{text}."


def sections_table(evidence: StepEvidence) -> doc.Table | None:
    """The sections whose size differs."""
    rows = [(s.name, f"{s.before:,}", f"{s.after:,}") for s in evidence.sections]
    columns = ("section", *doc.right("parent", "culprit"))
    return doc.table("Sections whose size differs, in bytes", columns, rows)


def code_shown(evidence: StepEvidence) -> doc.Block | None:
    """The instructions that differ, of the functions that matter most."""
    executed = {n for r in evidence.reaches for n in r.executes or ()}
    order = sorted(
        (f for f in evidence.code.reached if f.diff),
        key=lambda f: (f.name not in executed, -abs(f.sizes[1] - f.sizes[0])),
    )
    shown = (
        doc.CodeBlock((f"{fmt.escape_controls(f.name)}:", *f.diff), "diff") for f in order[:_SHOWN]
    )
    return doc.group("Instructions that differ", *shown)


# Placement, from the layouts that a search drew.

#: The interval of n layouts reaches about this many spreads over √n to each side, at 99 %.
REACH = 6.0
#: Fewer blocks of either kind show no spread.
FEWEST = 4


def scatter_of(blocks: Sequence[Observation] | Sequence[Trial]) -> str:
    """By how much placement alone scatters a program, from the ends as linked and over layouts, and
    what this many layouts resolve; empty with too few blocks. Plain variances, spread² =
    (var(varied) − var(linked)) / 2: the median deviation of two effects may be 0."""
    linked, varied = (np.array([b.ends for b in blocks if b.layouts == v]) for v in (False, True))
    if min(len(linked), len(varied)) < FEWEST:
        return ""
    noise = float(np.var(linked, ddof=1))
    spread = math.sqrt(max(0.0, float(np.var(varied, ddof=1)) - noise) / 2)
    n = len(varied)
    if noise > 0 and spread == 0:
        return (
            "Placement alone scatters a program by less than one block does by noise, "
            f"{fmt.rough(math.sqrt(noise / 2))} (one standard deviation)."
        )
    reach = fmt.rough(REACH * spread / math.sqrt(n))
    return (
        f"Placement alone scatters a program by {fmt.rough(spread)} (one standard deviation); "
        f"{n} layouts of each end, each in one block, resolve about ± {reach}."
    )
