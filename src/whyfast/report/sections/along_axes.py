"""Comparison along an axis: a table with axes as rows and columns, and whether a change does the
same in every place.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from whyfast.model.result import Result
from whyfast.model.study import Question
from whyfast.model.verdict import Interaction, Verdict
from whyfast.report.document import Cell, ReportSection, Row, Table, right, section, table
from whyfast.report.formatting import (
    escape_controls,
    format_percent,
    join_words,
    plain_ratio_text,
    pluralize,
    quote,
    ratio_text,
)
from whyfast.report.sections.main_table import (
    SUITE,
    Comparisons,
    comparison_cell,
    median_times,
    time_cell,
)

#: The most interactions that get a sentence; the table has all.
MOST_TOLD = 3
_WORDS = {"faster": "differ", "slower": "differ", "same": "same", "undecided": "undecided"}


def axes_table(result: Result) -> Table | None:
    """The values of the axes that are compared along as columns, the baseline's first, and a row
    for each combination of the others; None where baselines are not along axes.

    With a single benchmark a baseline shows its time.
    """
    question = result.question
    measured = [v for v in question.measured if v.axes and not v.twin_of]
    if not question.along or not measured:
        return None
    others = [axis for axis in measured[0].axes if axis not in question.along]
    base = _change(question, question.along)
    columns = [c for v in measured if (c := _change(question, v.axes)) != base]
    columns = [base, *dict.fromkeys(columns)]
    by_place: dict[tuple[str, ...], dict[str, str]] = {}
    for v in measured:
        place = tuple(v.axes[axis] for axis in others)
        by_place.setdefault(place, {})[_change(question, v.axes)] = v.name
    only = question.benchmarks[0].name if len(question.benchmarks) == 1 else None
    times = median_times(result.recorded.blocks) if only else {}
    comparisons = Comparisons(result.judged.verdicts, result.judged.suites)

    def cell(names: Mapping[str, str], column: str) -> Cell | str | None:
        name, own = names.get(column), names.get(base)
        if name is None or own is None:
            return None
        found = comparison_cell(result, comparisons, name, own)
        measured = result.recorded.same.get(name, name)
        time = time_cell(times.get((only or "", measured)), result.judged.about)
        return time if name == own and time is not None else found

    rows: list[Row] = [
        (*place, *(cell(names, column) for column in columns)) for place, names in by_place.items()
    ]
    what = (
        f"Time on {only}"
        if only
        else f"Time, {SUITE} of {pluralize(len(question.benchmarks), 'benchmark')}"
    )
    caption = f"{what}, against {base} of the same row" if others else f"{what}, against {base}"
    heads = [f"{base} (baseline)", *columns[1:]]
    return table(caption, (*others, *right(*heads)), rows, fixed=max(1, len(others)))


def interaction_sentences(result: Result) -> Iterator[str]:
    """Where a change does not do the same in two places, the largest difference first."""
    found = _overall(result)
    comparisons = Comparisons(result.judged.verdicts, result.judged.suites)
    apart = [i for i in found if i.verdict.outcome in ("faster", "slower")]
    apart.sort(key=lambda i: -abs(math.log(i.verdict.ratio)))
    for one in apart[:MOST_TOLD]:
        yield _apart(result.question, one, comparisons)
    if len(apart) > MOST_TOLD:
        yield f"{pluralize(len(apart) - MOST_TOLD, 'more pair')} of places differ, see below."


def alike_sentences(result: Result) -> Iterator[str]:
    """Where a change does the same in two places, and where that is open."""
    found = _overall(result)
    margin = format_percent(result.question.margin)
    if same := _pairs(result.question, found, "same"):
        yield f"Within {margin}, {same}."
    if unclear := _pairs(result.question, found, "undecided"):
        yield f"It is undecided whether {unclear}."


def interaction_section(result: Result) -> ReportSection | None:
    """Every interaction, on each benchmark and over all."""
    question = result.question
    rows: list[Row] = []
    for one in result.judged.interactions:
        v = one.verdict
        here, there = (_place(question, one, name) for name in (v.variant, v.baseline))
        text = plain_ratio_text(v.ratio, v.low, v.high)
        rows.append(
            (
                _change(question, question.variant(v.variant).axes),
                v.benchmark or SUITE,
                here,
                there,
                Cell(text.factor, text.interval, number=v.ratio),
                Cell(_WORDS[v.outcome]),
                v.blocks,
            )
        )
    columns = ("change", "benchmark", "in", "over in", *right("ratio"), "verdict", *right("blocks"))
    return section(
        "interactions",
        "Does a change have the same effect everywhere?",
        table("Effect of the change in one place, relative to another", columns, rows),
        importance="detail",
    )


def _overall(result: Result) -> list[Interaction]:
    """One of each two pairs: over the suite, or on the only benchmark."""
    suites = [i for i in result.judged.interactions if i.verdict.benchmark is None]
    return suites or (
        list(result.judged.interactions) if len(result.question.benchmarks) == 1 else []
    )


def _apart(question: Question, one: Interaction, comparisons: Comparisons) -> str:
    """ "goto gains …": what the change does in either place, and how far that lies apart."""
    v = one.verdict
    base = quote(_change(question, question.along))
    sides = [
        f"{_gain(comparisons.of(name, baseline), base)} with "
        f"{escape_controls(_place(question, one, name))}"
        for name, baseline in zip((v.variant, v.baseline), one.baselines, strict=True)
    ]
    change = quote(_change(question, question.variant(v.variant).axes))
    text = ratio_text(v.ratio, v.low, v.high)
    return (
        f"The effect of {change} depends on {escape_controls(one.axis)}: {sides[0]}, {sides[1]}; "
        f"these differ by {text.value} {text.interval}."
    )


def _gain(verdict: Verdict | None, base: str) -> str:
    """What a change does in one place, in short."""
    if verdict is None:
        return "no verdict"
    if verdict.outcome == "same":
        return f"the same as {base}"
    text = ratio_text(verdict.ratio, verdict.low, verdict.high).factor
    return f"undecided, {text}" if verdict.outcome == "undecided" else f"{text} than {base}"


def _pairs(question: Question, found: Sequence[Interaction], outcome: str) -> str:
    """ "goto does the same with gcc and clang, and tail with …"; empty when there are none."""
    by_change: dict[str, list[str]] = {}
    for one in found:
        v = one.verdict
        if v.outcome == outcome:
            here, there = (
                escape_controls(_place(question, one, n)) for n in (v.variant, v.baseline)
            )
            change = quote(_change(question, question.variant(v.variant).axes))
            by_change.setdefault(change, []).append(f"with {here} and {there}")
    parts = [f"{change} does the same {join_words(where)}" for change, where in by_change.items()]
    return join_words(parts)


def _change(question: Question, axes: Mapping[str, str]) -> str:
    """The values of the axes that are compared along."""
    return "-".join(axes[axis] for axis in question.along)


def _place(question: Question, one: Interaction, name: str) -> str:
    """The value that sets one place apart from the other, with those of further axes."""
    axes = question.variant(name).axes
    further = [x for a, x in axes.items() if a != one.axis and a not in question.along]
    return f"{axes[one.axis]} ({', '.join(further)})" if further else axes[one.axis]
