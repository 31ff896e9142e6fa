"""``whyfast check``: what a change did to the times, in sentences and a table."""

from __future__ import annotations

import math
import shlex
import statistics
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from whyfast.judge.confounds import UNMOVED
from whyfast.judge.decide import ALPHA
from whyfast.model.result import Result
from whyfast.model.verdict import MADE_BY_PLACEMENT, Confound, Outcome, Verdict
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections import changed_code
from whyfast.report.sections.certainty import warnings_of
from whyfast.report.sections.costs import check_cost_sentences, size_clause
from whyfast.report.sections.layouts import spread_detail, spread_text
from whyfast.report.sections.main_table import OUTCOMES, SUITE, decided
from whyfast.report.sections.why import account_sentences, named_causes

if TYPE_CHECKING:
    from whyfast.model.code import ChangeCoverage, Check

#: Above the answer, where a page has a heading.
CHECK_HEADING = "Did this change make it slower?"

#: Below this share of them, a difference in instructions is none.
_AS_MANY = 0.0005
#: A spread over layouts below this is not worth a figure.
_NO_SPREAD = 0.001
#: An interval from whose ends' ratio on it says too little to speak of no difference.
_CLEAR = 1.25
#: Names in a headline above a table that has all.
_FEW_NAMES = 2
#: A longer plan in minutes is none for a check.
_LONG = 60


def check_sentences(result: Result) -> list[str]:
    """The headline, and what is to be known beside it."""
    return [check_headline(result), *_sentences(result, changed_code.check_of(result))]


def check_headline(result: Result, *, figures: bool = True) -> str:
    """The whole answer in a sentence; without ``figures`` it leaves intervals to a table."""
    check, verdicts = changed_code.check_of(result), result.judged.verdicts
    between = f" between {check.base_name} and {check.head_name}"
    nothing = f"Nothing that the benchmarks run has changed{between}:"
    if check.code.same and check.not_linked:
        differs = "differs" if len(check.not_linked) == 1 else "differ"
        lacking = f"{changed_code.some_code(check.not_linked)}, which {differs}"
        return f"{nothing} their program holds and reads nothing of {lacking}."
    if check.code.same:
        which = "every function that can run" if check.code.functions else "every function"
        same = f"the machine code of {which} is the same up to addresses"
        if result.question.in_python:
            same = "no file that differs changes what Python runs"
        if check.code.identical:
            same = "the programs are identical byte for byte"
        return f"Nothing that runs has changed{between}: {same}."
    if check.reaches and all(r.placement_only for r in check.reaches) and not verdicts:
        return f"{nothing} they execute none of the changed functions, so nothing was measured."
    parts = [part for part in _verdict_parts(result, figures) if part]
    if not parts:
        return f"No verdict{between}; the code that runs has changed."
    text = ", ".join(parts) + size_clause(result)
    cause = _cause(result, check)
    return f"{text[0].upper()}{text[1:]}{f'; {cause}' if cause else ''}."


def short_answer(result: Result) -> str:
    """The answer in a few words: the largest difference, for a title."""
    check = changed_code.check_of(result)
    if check.code.same and not check.not_linked:
        return "nothing that runs has changed"
    verdicts = [v for v in result.judged.verdicts if v.benchmark not in _moved(check)]
    if check.code.same or not verdicts:
        return "no benchmark runs what has changed"
    if different := decided(verdicts):
        where = f" on {_benchmark(different[0])}" if len(verdicts) > 1 else ""
        return f"{fmt.percent_text(different[0]).factor}{where}"
    return "the same" if all(v.outcome == "same" for v in verdicts) else "undecided"


def _verdict_parts(result: Result, figures: bool) -> Iterator[str]:
    check, verdicts = changed_code.check_of(result), result.judged.verdicts
    moved = _moved(check)
    groups: dict[Outcome, list[Verdict]] = {outcome: [] for outcome in OUTCOMES}
    for v in sorted(verdicts, key=lambda v: -fmt.size_of(v.ratio)):
        if v.benchmark not in moved:
            groups[v.outcome].append(v)
    most = changed_code.NAMES if figures else _FEW_NAMES
    different = [*groups["slower"], *groups["faster"]]
    # As small as placement makes them, with no other sign of a difference.
    by_luck = [
        _benchmark(v)
        for v in different
        if _as_many(check.reach(v.benchmark or "")) and fmt.size_of(v.ratio) < MADE_BY_PLACEMENT
    ]
    every = len(by_luck) == len(different) > 0 and all(
        _as_many(check.reach(v.benchmark or "")) for v in groups["undecided"]
    )
    if by_luck:
        where = "" if every else f" on {fmt.join(by_luck, most)}"
        yield f"as many instructions run as before{where} and placement alone can make as much"
    for group in (groups["slower"], groups["faster"]):
        texts = [
            _on_benchmark(v, f" {fmt.percent_text(v).interval}" if figures else "") for v in group
        ]
        yield fmt.join(texts, most)
    if group := groups["same"]:
        names = [_benchmark(v) for v in group]
        where = fmt.join(names) if len(group) <= changed_code.NAMES else str(len(group))
        if groups["slower"] or groups["faster"]:
            where = fmt.pluralize(len(group), "other")
        yield f"the same on {where}"
    if group := groups["undecided"]:
        yield from _counted(group, check, most, equal_too=not every)
        with_figures = figures and len(group) <= _FEW_NAMES  # the table has those of more
        texts = [
            f"{_benchmark(v)}{f' ({undecided_text(v, needs(result, v))})' if with_figures else ''}"
            for v in group
        ]
        known = all(v.low > 0 and v.high / v.low < _CLEAR for v in group)
        yield f"{'no difference found' if known else 'undecided'} on {fmt.join(texts, most)}"
    if moved:
        runs = "runs" if len(moved) == 1 else "run"
        apart = decided([v for v in verdicts if v.benchmark in moved])
        texts = [_on_benchmark(v, " by placement") for v in apart]
        by_placement = f" ({fmt.join(texts, changed_code.NAMES)})" if texts else ""
        yield f"{fmt.pluralize(len(moved), 'benchmark')} {runs} no changed code{by_placement}"


def _counted(
    undecided: Sequence[Verdict], check: Check, most: int, *, equal_too: bool
) -> Iterator[str]:
    """What exact counts say of undecided benchmarks; ``equal_too``: also that they are equal."""
    every = [(_benchmark(v), more_instructions(check.reach(v.benchmark or ""))) for v in undecided]
    counts = {name: more for name, more in every if more is not None}
    for sign, word in ((1, "more"), (-1, "fewer")):
        sizes: dict[str, list[str]] = {}
        for m, n in sorted(((m * sign, n) for n, m in counts.items()), key=lambda pair: -pair[0]):
            if m >= _AS_MANY:
                sizes.setdefault(f"{fmt.rough(m)} {word} instructions run on", []).append(n)
        yield fmt.join([f"{size} {fmt.join(n, most)}" for size, n in sizes.items()], most)
    if equal_too and (equal := [n for n, more in counts.items() if abs(more) < _AS_MANY]):
        where = "" if len(equal) == len(undecided) else f" on {fmt.join(equal, most)}"
        yield f"as many instructions run as before{where}"


def _on_benchmark(verdict: Verdict, more: str) -> str:
    return f"{fmt.percent_text(verdict).factor} on {_benchmark(verdict)}{more}"


def _benchmark(verdict: Verdict) -> str:
    return fmt.quote(verdict.benchmark or "the geometric mean")


def undecided_text(verdict: Verdict, seconds: float | None) -> str:
    """``± 3.1 %, needs about 12 min``; ``seconds`` is what it needs by :func:`needs`."""
    low, high = verdict.low, verdict.high
    width = "too few blocks"
    if low > 0 and math.isfinite(high):
        width = f"± {(math.sqrt(high / low) - 1) * 100:.2g} %"
    if seconds is None or not math.isfinite(seconds):
        return width
    long = seconds > 60 * _LONG
    return f"{width}, needs {f'over {_LONG} min' if long else f'about {_whole_seconds(seconds)}'}"


def _whole_seconds(seconds: float) -> str:
    """An estimate, which has no decimals: ``9 s``, ``12 min``."""
    whole = max(math.ceil(seconds), 1)
    return f"{whole} s" if whole < 60 else fmt.seconds(whole)


def needs(result: Result, verdict: Verdict) -> float | None:
    """Seconds that an undecided verdict needs: by what its blocks say, or, where they are too few
    to say it, those that the missing blocks take; None where nothing was measured."""
    seconds = verdict.seconds_to_margin
    costs = [b.seconds for b in result.recorded.blocks if b.benchmark == verdict.benchmark]
    # The noise of two or three blocks says nothing on how many more it takes.
    if verdict.small_sample is None or not costs:
        return seconds if seconds is not None and math.isfinite(seconds) else None
    return max(verdict.small_sample.needed - len(costs), 1) * statistics.mean(costs)


def _again(result: Result, check: Check) -> Iterator[str]:
    """How long all that is undecided takes, and the command that goes on with it."""
    moved = _moved(check)
    undecided = [
        v for v in result.judged.verdicts if v.outcome == "undecided" and v.benchmark not in moved
    ]
    times = [seconds for v in undecided if (seconds := needs(result, v)) is not None]
    if not times:
        return
    minutes = max(math.ceil(sum(times) / 60), 1)
    start = f"Undecided on {fmt.pluralize(len(undecided), 'benchmark')}:"
    if minutes > _LONG:
        yield (
            f"{start} a difference of the margin takes more than {_LONG} min to see on this "
            "machine; a larger --margin, or a benchmark with less noise, takes less."
        )
        return
    names = check.base_name, check.head_name
    ends = "" if any(" " in name for name in names) else f" {'..'.join(names)}"
    command = fmt.as_code(f"whyfast check{ends} --budget {minutes}m")
    yield (
        f"{start} {command} goes on from what was measured and needs about "
        f"{_whole_seconds(sum(times))} on this machine."
    )


def _moved(check: Check) -> set[str]:
    """The benchmarks that execute nothing which changed."""
    return {r.benchmark for r in check.reaches if r.placement_only}


def _cause(result: Result, check: Check) -> str:
    """The causes in the account of the largest difference, or what the machine code says of it."""
    different, account = decided(result.judged.verdicts), result.found.account
    if account is not None and (text := named_causes(account)):
        return f"on {fmt.quote(account.benchmark)} {text}" if len(different) > 1 else text
    for verdict in different:
        reach = check.reach(verdict.benchmark or "")
        for name in (reach.executes or ()) if reach else ():
            change = next(
                (f for f in check.code.functions if changed_code.is_called(f, name)), None
            )
            if change is not None:
                where = f" on {_benchmark(verdict)}" if len(different) > 1 else ""
                return f"{changed_code.change_sentence(change)}{_although(verdict, reach, where)}"
    return ""


def _although(verdict: Verdict, reach: ChangeCoverage | None, where: str) -> str:
    """What speaks against the changed code as the cause: the number of instructions that run."""
    more = more_instructions(reach)
    if more is None or (not _as_many(reach) and (more > 0) == (verdict.outcome == "slower")):
        return ""
    if _as_many(reach):
        small = fmt.size_of(verdict.ratio) < MADE_BY_PLACEMENT
        return "" if small else f", but the number of instructions{where} is unchanged"
    counted = f"{fmt.rough(abs(more))} {'more' if more > 0 else 'fewer'} instructions run"
    return f", but {counted}{where}: it may be placement"


def _sentences(result: Result, check: Check) -> Iterator[str]:
    yield from account_sentences(result.found.account, headline=False)
    yield from _placed(result)
    yield from changed_code.changed_code(check)
    yield from since_sentences(result, check)
    yield from _again(result, check)
    yield from check.notes
    for where, names in (("head", check.added), ("base", check.removed)):
        if names:
            yield f"Only in the {where}, not compared: {fmt.quoted(names)}."
    judged = {v.benchmark for v in result.judged.verdicts}
    failed = {f.benchmark: f for f in reversed(result.recorded.failures)}
    reasons = fmt.grouped(
        ((f.reason, "" if f.lacks else f.variant), f.benchmark)
        for f in result.recorded.failures
        if f.benchmark not in judged and f is failed[f.benchmark]
    )
    for (reason, side), benchmarks in reasons.items():
        lacks = "is not compared" if len(benchmarks) == 1 else "are not compared"
        which = fmt.quoted(benchmarks, changed_code.NAMES)
        yield f"{which} {f'failed in {side}' if side else lacks}: {reason}."
    judged |= failed.keys()
    left = [b.name for b in result.question.benchmarks if b.name not in judged]
    if left and not check.code.same:
        yield f"No time was left for {fmt.quoted(left, changed_code.NAMES)}."
    yield from check_cost_sentences(result)


def _placed(result: Result) -> Iterator[str]:
    """What other layouts of the same code say, where they were measured."""
    for p in result.judged.placements:
        if p.over != "layouts" or p.varied.benchmark is None or math.isnan(p.spread):
            continue
        most, size = "", "less than the noise"
        if p.spread >= _NO_SPREAD:
            most, size = spread_detail(p), f"± {spread_text(p.spread)}"
        elif p.spread_high < math.inf:
            size = f"less than {fmt.rough(max(math.expm1(p.spread_high), _NO_SPREAD))}"
        links = ", ".join(filter(None, (fmt.pluralize(p.layouts, "link"), most)))
        moves = f"Placement alone moves {_benchmark(p.varied)} by {size}"
        bounded = p.varied.low > 0 and p.varied.high < math.inf
        varied = str(fmt.percent_text(p.varied)) if bounded else fmt.percent_text(p.varied).factor
        change = f"this change is {varied} over them"
        if p.linked.outcome in ("faster", "slower"):
            was = fmt.percent_text(p.linked).factor
            change = f"this change is {was} as linked, and over them {varied}"
        end = ": nothing to see" if p.varied.outcome == "same" else ""
        if p.varied.outcome == "undecided":
            end = ": no difference found" if p.varied.low <= 1 <= p.varied.high else ""
            end = end or ", which is undecided"
            if not bounded or p.varied.high / p.varied.low >= _CLEAR:
                end = ": too few links to tell"
        yield f"{moves} (one standard deviation of {links}); {change}{end}."
    for c in result.judged.confounds:
        if c.kind == UNMOVED:
            yield f"{c.text[0].upper()}{c.text[1:]}."


def since_sentences(result: Result, check: Check) -> Iterator[str]:
    """How to find the commit that made it slower, where there are several."""
    moved = {None, *_moved(check)}
    slower = [v for v in decided(result.judged.verdicts) if v.outcome == "slower"]
    worst = next((v for v in slower if v.benchmark not in moved), None)
    if check.search and worst:
        name = shlex.quote(worst.benchmark or "")
        yield (
            f"{fmt.as_code(f'{check.search} --benchmark {name}')} finds which of the "
            f"{check.commits} commits did it."
        )


def in_order(result: Result) -> list[Verdict]:
    """The verdicts on benchmarks, what is slower first; then the geometric mean."""
    order = ("slower", "faster", "undecided", "same")
    rows = sorted(
        result.judged.verdicts, key=lambda v: (order.index(v.outcome), -fmt.size_of(v.ratio))
    )
    return [*rows, *(s.verdict for s in result.judged.suites)]


def check_table(result: Result) -> doc.Table | None:
    """One line for each benchmark, and the geometric mean; None where nothing was measured."""
    check = changed_code.check_of(result)
    rows: list[doc.Row] = []
    counted = any(map(instructions_text, check.reaches))
    for v in in_order(result) if result.judged.verdicts else ():
        reach, text = check.reach(v.benchmark or ""), fmt.percent_text(v)
        undecided = v.outcome == "undecided"
        interval = undecided_text(v, needs(result, v)) if undecided else text.interval
        rows.append(
            (
                v.benchmark or SUITE,
                doc.Cell(v.outcome, outcome=v.outcome, number=v.ratio),
                # Of one block, nothing says how far its ratio is from the truth.
                doc.Cell(interval) if undecided and v.low <= 0 else doc.Cell(text.factor, interval),
                changed_code.executes_text(reach) if v.benchmark is not None else "",
                instructions_text(reach),
            )
        )
    columns = ("benchmark", "verdict", *doc.right("difference"), "executes")
    more = doc.right("instructions") if counted else (None,)
    return doc.table("Each benchmark, head against base", (*columns, *more), rows)


def instructions_text(reach: ChangeCoverage | None) -> str:
    """By how much its number of instructions changed; empty where they were not counted."""
    more = more_instructions(reach)
    return "" if more is None else f"{more * 100:+.2f} %"


def more_instructions(reach: ChangeCoverage | None) -> float | None:
    """The share of instructions that the head runs more; None where they were not counted."""
    if reach is None or reach.instructions is None or min(reach.instructions) <= 0:
        return None
    return reach.instructions[1] / reach.instructions[0] - 1


def _as_many(reach: ChangeCoverage | None) -> bool:
    """Whether it is known to execute as many instructions as before."""
    more = more_instructions(reach)
    return more is not None and abs(more) < _AS_MANY


def promise(result: Result) -> str:
    """How sure the verdicts are, and of what they speak."""
    return (
        f"On average at most {fmt.percent(ALPHA)} of such verdicts are wrong, however often you "
        f"check; a difference below {fmt.percent(result.question.margin)} does not matter here. "
        f"{scope(result)}"
    )


def scope(result: Result) -> str:
    """Of what the verdicts speak."""
    if result.judged.about == "change":
        return "Layouts were drawn anew, so the verdicts are about the change."
    return "The verdicts are about these two builds; another layout of the same code may differ."


def machine_line(confounds: Sequence[Confound]) -> str:
    """What weakens the measurement, in one line; empty when nothing does."""
    warnings = warnings_of(confounds)
    kinds = fmt.join(dict.fromkeys(c.kind for c in warnings))
    many = fmt.pluralize(len(warnings), "warning")
    return f"This machine: {many} ({kinds}); see `whyfast doctor`." if warnings else ""
