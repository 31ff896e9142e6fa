"""``whyfast check``: what a change did to the code and to the times, in sentences and a table."""

from __future__ import annotations

import math
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from whyfast.judge.decide import ALPHA
from whyfast.model.result import Result
from whyfast.model.verdict import Confound, Outcome, Verdict
from whyfast.report.document import Cell, Table, right, table
from whyfast.report.formatting import (
    escape_controls,
    format_percent,
    format_rough,
    format_seconds,
    join_words,
    pluralize,
    quote,
    ratio_text,
    size_of,
    within,
)
from whyfast.report.sections.main_table import OUTCOMES

if TYPE_CHECKING:
    from whyfast.model.code import ChangeCoverage, Check, FunctionChange

#: Names that a sentence lists before it only counts the rest.
NAMES = 5


def changed_code(check: Check) -> Iterator[str]:
    """Which functions changed, and what cannot be shown not to have."""
    code = check.code
    if code.same:
        idle = code.functions
        if idle:
            names = some([f"`{escape_controls(f.name)}`" for f in idle], "more")
            yield f"Nothing that runs uses {names}; only the placement of other code can differ."
        yield "Nothing was measured."
    elif code.reached:
        # The instructions of others are the same, but for what the data holds that they refer to.
        changed = [f for f in code.reached if f.diff or f.kind != "changed"]
        changed.sort(key=lambda f: _place(f, check.reaches))
        if changed:
            names = some([f"`{escape_controls(f.name)}`" for f in changed], "more")
            yield f"{pluralize(len(changed), 'function')} changed: {names}."
        if rest := len(code.reached) - len(changed):
            further = " more" if changed else ""
            verbs = ("has", "refers") if rest == 1 else ("have", "refer")
            yield (
                f"{pluralize(rest, 'function')}{further} {verbs[0]} the same instructions and "
                f"{verbs[1]} to data that differs."
            )
    if not code.same and code.reasons:
        more = len(code.reasons) - NAMES
        reasons = [*code.reasons[:NAMES], *([f"and {more} more"] if more > 0 else [])]
        yield f"Counts as changed: {'; '.join(reasons)}."


def change_sentence(change: FunctionChange) -> str:
    """What became of one function, without a full stop."""
    name = f"`{escape_controls(change.name)}`"
    if change.kind == "added":
        return f"{name} is new"
    if change.kind == "removed":
        return f"{name} is gone"
    changes = []
    if change.calls:
        changes.append(
            f"now calls {some([f'`{escape_controls(c)}`' for c in change.calls], 'more')}"
        )
    if change.called:
        gone = some([f"`{escape_controls(c)}`" for c in change.called], "more")
        changes.append(f"no longer calls {gone}")
    if not changes:
        before, after = change.sizes
        changes.append(
            f"has other instructions ({before} bytes)"
            if before == after
            else f"went from {before} to {after} bytes"
        )
    return f"{name} {' and '.join(changes)}"


def _place(change: FunctionChange, reaches: Sequence[ChangeCoverage]) -> int:
    """Where among the functions that are executed; those that are not come last."""
    ran = list(dict.fromkeys(n for r in reaches for n in r.executes or ()))
    return next((i for i, name in enumerate(ran) if is_called(change, name)), len(ran))


def is_called(change: FunctionChange, name: str) -> bool:
    """Whether a function is called so, but for what the compiler put behind (``.isra.0``)."""
    return change.name == name or change.name.startswith(f"{name}.")


def some(items: Sequence[str], rest: str, most: int = NAMES) -> str:
    if len(items) <= most:
        return join_words(items)
    return f"{', '.join(items[:most])} and {len(items) - most} {rest}"


#: Above the answer, where a page has a heading.
CHECK_HEADING = "Did this change make it slower?"

#: From this ratio on a difference is said as a factor and no longer in per cent.
_FACTOR = 1.5
#: Below this share of them, a difference in instructions is none.
_AS_MANY = 0.0005
#: Names in a headline above a table that has all.
_FEW_NAMES = 2


def check_of(result: Result) -> Check:
    """The check that the result is of."""
    assert result.found.check is not None
    return result.found.check


def check_sentences(result: Result) -> list[str]:
    """The headline, and what is to be known beside it."""
    return [check_headline(result), *_sentences(result, check_of(result))]


def check_headline(result: Result, *, figures: bool = True) -> str:
    """The whole answer in one sentence; without ``figures`` a table stands under it that has the
    intervals."""
    check = check_of(result)
    if check.code.same:
        return f"Nothing that runs has changed{_between(check)}: {_sameness(check)}."
    parts = [part for part in _verdict_parts(result, figures) if part]
    if not parts:
        return f"No verdict{_between(check)}; the code that runs has changed."
    text = ", ".join(parts)
    first = f"{text[0].upper()}{text[1:]}"
    cause = _cause(result, check)
    return f"{first}{f'; {cause}' if cause else ''}."


def _between(check: Check) -> str:
    return f" between {check.base_name} and {check.head_name}"


def _sameness(check: Check) -> str:
    if check.code.identical:
        return "what was built is the same byte by byte"
    if check.code.functions:
        return "the machine code of every function that can run is the same up to addresses"
    return "the machine code of every function is the same up to addresses"


def _verdict_parts(result: Result, figures: bool) -> Iterator[str]:
    check, verdicts = check_of(result), result.judged.verdicts
    moved = {r.benchmark for r in check.reaches if r.placement_only}
    by_word: dict[Outcome, list[Verdict]] = {outcome: [] for outcome in OUTCOMES}
    for v in sorted(verdicts, key=lambda v: -size_of(v.ratio)):
        if v.benchmark not in moved:
            by_word[v.outcome].append(v)
    apart = [v for v in verdicts if v.benchmark in moved]
    others = False
    most = NAMES if figures else _FEW_NAMES
    for outcome in ("slower", "faster"):
        if group := by_word[outcome]:
            texts = [
                f"{change_text(v)} on {_benchmark(v)}{f' {percent_interval(v)}' if figures else ''}"
                for v in group
            ]
            yield some(texts, "more", most)
            others = True
    if group := by_word["same"]:
        if others or len(group) > NAMES:
            yield f"the same on {pluralize(len(group), 'other') if others else len(group)}"
        else:
            yield f"the same on {join_words([_benchmark(v) for v in group])}"
    if group := by_word["undecided"]:
        texts = [f"{_benchmark(v)}{f' ({undecided_text(v)})' if figures else ''}" for v in group]
        yield f"no difference found on {some(texts, 'more', most)}"
    if apart:
        yield _by_placement(apart)


def _by_placement(apart: Sequence[Verdict]) -> str:
    """What is said of benchmarks that run nothing that has changed."""
    verb = "runs" if len(apart) == 1 else "run"
    text = f"{pluralize(len(apart), 'benchmark')} {verb} no changed code"
    different = [
        f"{change_text(v)} on {_benchmark(v)} by placement"
        for v in apart
        if v.outcome in ("slower", "faster")
    ]
    return f"{text} ({some(different, 'more')})" if different else text


def _benchmark(verdict: Verdict) -> str:
    return quote(verdict.benchmark or "the geometric mean")


def change_text(verdict: Verdict) -> str:
    """``2.3 % slower``; ``2.10x slower`` where it is much. Read from the slower side either way."""
    ratio = _printed_ratio(verdict)
    if ratio is None:
        return "–"
    text = ratio_text(ratio, verdict.low, verdict.high)
    larger = max(ratio, 1 / ratio)
    return text.factor if larger >= _FACTOR else f"{(larger - 1) * 100:.1f} % {text.direction}"


def percent_interval(verdict: Verdict) -> str:
    """``[1.9, 2.7]`` in per cent, as :func:`change_text` reads it."""
    low, high, ratio = verdict.low, verdict.high, _printed_ratio(verdict)
    if ratio is None or not (low > 0 and math.isfinite(high)):
        return "[–, –]"
    if max(ratio, 1 / ratio) >= _FACTOR:
        return ratio_text(ratio, low, high).interval
    if ratio < 1:
        low, high = 1 / high, 1 / low
    return f"[{(low - 1) * 100:.1f}, {(high - 1) * 100:.1f}]"


def _printed_ratio(verdict: Verdict) -> float | None:
    """The estimate, within its interval; None where there is none."""
    if not (math.isfinite(verdict.ratio) and verdict.ratio > 0):
        return None
    return within(verdict.ratio, verdict.low, verdict.high)


def undecided_text(verdict: Verdict) -> str:
    """``± 3.1 %, needs about 12 min``."""
    low, high = verdict.low, verdict.high
    if not (low > 0 and math.isfinite(high)):
        width = "too few blocks"
    else:
        width = f"± {(math.sqrt(high / low) - 1) * 100:.2g} %"
    seconds = verdict.seconds_to_margin
    if seconds is None or not math.isfinite(seconds):
        return width
    return f"{width}, needs about {format_seconds(max(seconds, 1.0))}"


def _cause(result: Result, check: Check) -> str:
    """What the machine code says of the largest difference."""
    decided = [v for v in result.judged.verdicts if v.outcome in ("slower", "faster")]
    for verdict in sorted(decided, key=lambda v: -size_of(v.ratio)):
        reach = check.reach(verdict.benchmark or "")
        for name in (reach.executes or ()) if reach else ():
            for change in check.code.functions:
                if is_called(change, name):
                    return f"{change_sentence(change)}{_although(verdict, reach, len(decided) > 1)}"
    return ""


def _although(verdict: Verdict, reach: ChangeCoverage | None, several: bool) -> str:
    """What speaks against the changed code as the cause: the number of instructions that run."""
    if reach is None or reach.instructions is None or min(reach.instructions) <= 0:
        return ""
    more = reach.instructions[1] / reach.instructions[0] - 1
    if abs(more) < _AS_MANY:
        where = f" on {quote(reach.benchmark)}" if several else ""
        return f", but the number of instructions{where} is unchanged"
    if (more > 0) == (verdict.outcome == "slower"):
        return ""
    counted = f"{format_rough(abs(more))} {'more' if more > 0 else 'fewer'} instructions run"
    where = f" on {quote(reach.benchmark)}" if several else ""
    return f", but {counted}{where}: it may be placement"


def _sentences(result: Result, check: Check) -> Iterator[str]:
    yield from changed_code(check)
    yield from since_sentences(result, check)
    for where, names in (("head", check.added), ("base", check.removed)):
        if names:
            yield f"Only in the {where}, not compared: {join_words([quote(n) for n in names])}."
    yield from _unjudged(result, check)
    yield from check.notes


def since_sentences(result: Result, check: Check) -> Iterator[str]:
    """How to find the commit that made it slower, where there are several."""
    moved = {None, *(r.benchmark for r in check.reaches if r.placement_only)}
    slower = [
        v for v in result.judged.verdicts if v.outcome == "slower" and v.benchmark not in moved
    ]
    if check.search and slower:
        worst = max(slower, key=lambda v: v.ratio)
        name = shlex.quote(worst.benchmark or "")
        yield (
            f"`{escape_controls(f'{check.search} --benchmark {name}')}` finds which of the "
            f"{check.commits} commits did it."
        )


def _unjudged(result: Result, check: Check) -> Iterator[str]:
    judged = {v.benchmark for v in result.judged.verdicts}
    failed: dict[str, str] = {}
    for failure in result.recorded.failures:
        failed.setdefault(
            failure.benchmark,
            f"{quote(failure.benchmark)} failed in {failure.variant}: {failure.reason}.",
        )
    yield from failed.values()
    if check.code.same:
        return
    left = [
        b.name for b in result.question.benchmarks if b.name not in judged and b.name not in failed
    ]
    if left:
        yield f"No time was left for {some([quote(n) for n in left], 'more')}."


def in_order(result: Result) -> list[Verdict]:
    """The verdicts on benchmarks, what is slower first; then the geometric mean."""
    order = {"slower": 0, "faster": 1, "undecided": 2, "same": 3}
    rows = sorted(
        result.judged.verdicts,
        key=lambda v: (order[v.outcome], -size_of(v.ratio)),
    )
    return [*rows, *(s.verdict for s in result.judged.suites)]


def check_table(result: Result) -> Table | None:
    """One line for each benchmark, and the geometric mean; None where nothing was measured."""
    check = check_of(result)
    if not result.judged.verdicts:
        return None
    cells = [_row(v, check.reach(v.benchmark or "")) for v in in_order(result)]
    counted = any(row[-1].text for row in cells)
    return table(
        "Each benchmark, head against base",
        ("benchmark", "verdict", *right("difference"), "executes")
        + (right("instructions") if counted else ()),
        cells if counted else [row[:-1] for row in cells],
    )


def _row(verdict: Verdict, reach: ChangeCoverage | None) -> tuple[Cell, ...]:
    name = verdict.benchmark if verdict.benchmark is not None else "geometric mean"
    return (
        Cell(name),
        Cell(verdict.outcome, outcome=verdict.outcome, number=verdict.ratio),
        Cell(change_text(verdict), interval_text(verdict)),
        Cell(executes_text(reach) if verdict.benchmark is not None else ""),
        Cell(instructions_text(reach)),
    )


def interval_text(verdict: Verdict) -> str:
    """``[1.9, 2.7] %``; of what is undecided how far it may be off."""
    if verdict.outcome == "undecided":
        return undecided_text(verdict)
    ratio = _printed_ratio(verdict)
    factor = ratio is not None and max(ratio, 1 / ratio) >= _FACTOR
    return f"{percent_interval(verdict)}{'' if factor else ' %'}"


def executes_text(reach: ChangeCoverage | None) -> str:
    """The changed functions that a benchmark executes."""
    if reach is None or reach.executes is None:
        return "not known"
    if not reach.executes:
        return "none: placement only"
    few = [escape_controls(n) for n in reach.executes[:2]]
    more = len(reach.executes) - len(few)
    return ", ".join(few) + (f" and {more} more" if more else "")


def instructions_text(reach: ChangeCoverage | None) -> str:
    """By how much its number of instructions changed; empty where they were not counted."""
    if reach is None or reach.instructions is None or not reach.instructions[0]:
        return ""
    before, after = reach.instructions
    return f"{(after / before - 1) * 100:+.2f} %"


def promise(result: Result) -> tuple[str, ...]:
    """How sure the verdicts are, and of what they speak; empty where nothing was measured."""
    verdicts = result.judged.verdicts
    if not verdicts:
        return ()
    return (
        f"On average at most {format_percent(ALPHA)} of such verdicts are wrong, however often you "
        f"check; a difference below {format_percent(result.question.margin)} does not matter here. "
        f"{scope(result)}",
    )


def scope(result: Result) -> str:
    """Of what the verdicts speak."""
    if result.judged.about == "change":
        return "Layouts were drawn anew, so the verdicts are about the change."
    return "The verdicts are about these two builds; another layout of the same code may differ."


def machine_line(confounds: Sequence[Confound]) -> str:
    """What weakens the measurement, in one line; empty when nothing does."""
    warnings = [c for c in confounds if c.severity == "warning"]
    if not warnings:
        return ""
    kinds = join_words(list(dict.fromkeys(c.kind for c in warnings)))
    return f"This machine: {pluralize(len(warnings), 'warning')} ({kinds}); see `whyfast doctor`."


def changed_hot(result: Result) -> list[FunctionChange]:
    """The changed functions that benchmarks execute, those first that most of them do; all that
    are reached where that is not known."""
    check = check_of(result)
    known = [reach.executes for reach in check.reaches if reach.executes is not None]
    times = Counter(name for names in known for name in dict.fromkeys(names))
    reached = check.code.reached
    if not known:
        return list(reached)
    return sorted((f for f in reached if f.name in times), key=lambda f: (-times[f.name], f.name))
