"""A search along passes or kernels that has ended: since which one, by time or by a count."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

from whyfast.model.codec import dump, encode
from whyfast.report.document import Document, Table, document, right, section, sentences, table
from whyfast.report.formatting import escape_controls, pluralize
from whyfast.report.sections.search import alike, compares, measured_table, scatter_of
from whyfast.report.sections.summary import search_brief
from whyfast.search.requests import LineResult
from whyfast.search.state import Interval, Where

_MOST_NAMED = 5
_UNTESTED = ("not tested", "undecided")


def line_page(result: LineResult) -> Document:
    """The answer in a sentence, what it rests on, and every candidate that was measured."""
    answer = result.search.answer
    return document(
        "search",
        "",
        line_headline(result),
        section("basis", "What it rests on", sentences(_basis(result)), importance="answer"),
        section("measured", "Measured", _measured(result)),
        section("skipped", "Skipped", sentences(_skipped(result))),
        about=(_about(result),),
        heading="Since when",
        summary=search_brief(
            tuple(_rests_on(result)),
            tuple(_weakened(result)),
            _measured(result),
            _about(result),
            focus=_title(result, answer.where.first) if answer.where is not None else "",
        ),
    )


def line_headline(result: LineResult) -> str:
    """The answer in one sentence."""
    answer = result.search.answer
    good, bad = _title(result, 0), _title(result, -1)
    where, ends = answer.where, _compares(result, answer.ends)
    if answer.outcome in ("culprit", "one of") and where is not None:
        step = _compares(result, answer.step)
        if where.size == 1:
            return f"{_title(result, where.first)}: from there on it {step}."
        return (
            f"One of {where.size} {step} than {_title(result, where.parent)}: "
            f"{_listed(result, where)}; those between cannot be measured."
        )
    if answer.outcome == "none":
        return f"There is no step: {alike(result.quantity, answer.ends, good, bad)}."
    if answer.outcome == "swapped":
        return f"The ends are swapped: {bad} {ends} than {good}; exchange good and bad."
    if answer.outcome == "placement":
        return (
            f"Placement: as linked {bad} {ends} than {good}, and in other layouts of the same code "
            "it is not."
        )
    if answer.outcome in ("gradual", "scattered"):
        how = "in many small steps" if answer.outcome == "gradual" else "back and forth"
        return f"There is no single step: {bad} {ends} than {good}, and it came {how}."
    likely = f"; most likely {_listed(result, where)}" if where is not None else ""
    return f"Undecided: the measuring did not suffice{likely}."


def _basis(result: LineResult) -> Iterator[str]:
    yield from _rests_on(result)
    yield from _weakened(result)


def _rests_on(result: LineResult) -> Iterator[str]:
    answer, timed = result.search.answer, result.quantity == "time"
    if answer.ends is not None and answer.outcome not in ("none", "swapped"):  # told already
        blocks = f", by {pluralize(answer.ends.blocks, 'block')}" if timed else ""
        yield (
            f"Of the ends, {_title(result, -1)} {_compares(result, answer.ends)} than "
            f"{_title(result, 0)}{blocks}."
        )
    if (over := answer.varied) is not None:
        said = _compares(result, over)
        yield f"Over other layouts {_title(result, -1)} {said} than {_title(result, 0)}."
        if told := scatter_of(result.search.state.observations):
            yield told
    yield from _back(result)
    yield from result.notes
    if not timed:
        yield "Counts repeat exactly: each program was counted once."
    elif answer.step is not None:
        yield (
            f"Culprit and parent were measured again, in {pluralize(answer.step.blocks, 'block')} that "
            "had no part in choosing them; the interval is of these alone."
        )


def _weakened(result: LineResult) -> Iterator[str]:
    """What the answer leaves open."""
    if result.search.answer.several:
        yield "The step is not all of the difference: there is at least one more."
    answer, timed = result.search.answer, result.quantity == "time"
    if answer.outcome not in ("none", "swapped") and timed and answer.tested in _UNTESTED:
        yield "Whether it is placement was not tested: there are no other layouts."


def _back(result: LineResult) -> Iterator[str]:
    """Whether it is good again beyond the bad end, and from where on."""
    if result.back is None:
        return
    candidates, answer = result.back.candidates, result.back.answer
    last = escape_controls(candidates[0].title)
    if answer.outcome in ("culprit", "one of") and answer.where is not None:
        again = escape_controls(candidates[answer.where.parent].title)
        before = escape_controls(candidates[answer.where.last].title)
        step = answer.step and compares(
            result.quantity, answer.step.estimate, answer.step.low, answer.step.high
        )
        yield f"{again} is good again: {before} {step} than that."
    elif answer.outcome in ("none", "swapped"):
        yield f"It is not good again: {last} is no better than {escape_controls(candidates[-1].title)}."
    else:
        yield f"Where it is good again, up to {last}, was not found: {answer.outcome}."


def _measured(result: LineResult) -> Table | None:
    """A row a candidate, in order, with the median of its ratios to the good end."""
    if result.quantity == "time":
        return measured_table(result.search)
    seen: defaultdict[int, list[float]] = defaultdict(list)
    for block in result.search.state.observations:
        for reading in block.readings:
            seen[reading.candidate].append(reading.to_good)
    last = len(result.search.candidates) - 1
    seen[last] = [block.ends for block in result.search.state.observations]
    rows = [
        (_title(result, c), f"{math.exp(sorted(values)[len(values) // 2]):.4f}")
        for c, values in sorted(seen.items())
        if values
    ]
    return table(f"{result.quantity}, the good end 1", ("candidate", *right("ratio")), rows)


def _skipped(result: LineResult) -> Iterator[str]:
    for candidate, reason in sorted(result.search.state.skipped.items()):
        yield f"{_title(result, candidate)}: {reason}"


def _about(result: LineResult) -> str:
    blocks = result.search.state.observations
    if result.quantity == "time":
        return f"{pluralize(len(blocks), 'block')} of measuring"
    seen = {r.candidate for block in blocks for r in block.readings}
    return f"{result.quantity} of {pluralize(len(seen) + 2, 'program')}, counted"


def _title(result: LineResult, candidate: int) -> str:
    return escape_controls(result.search.candidates[candidate].title)


def _listed(result: LineResult, where: Where) -> str:
    titles = [_title(result, c) for c in range(where.first, where.last + 1)]
    more = len(titles) - _MOST_NAMED
    return "; ".join(titles[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _compares(result: LineResult, of: Interval | None) -> str:
    if of is None:
        return "is not measured"
    return compares(result.quantity, of.estimate, of.low, of.high)


def dump_line(result: LineResult) -> str:
    """The JSON text of a search, with every block; docs/search.md describes it."""
    return dump("search-line", {"headline": line_headline(result), **encode(result)})
