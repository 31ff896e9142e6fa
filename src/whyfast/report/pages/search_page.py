"""A search that has ended: since when, or what exactly; and everything that was measured for it."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

from whyfast.report.codec import encode
from whyfast.report.document import Document, Table, document, right, section, sentences, table
from whyfast.report.names import count, shown
from whyfast.report.numbers import format_percent, ratio_text
from whyfast.search.answer import Interval, Where
from whyfast.search.run import SearchResult

#: Raised by one whenever a reader of the old form would misread the new one.
SCHEMA = "whyfast-search/1"

_MOST_NAMED = 5


def search_page(result: SearchResult, *, again: Sequence[str] = ()) -> Document:
    """The answer in a sentence, what it rests on, and every candidate that was measured.

    ``again`` are command lines that repeat or go on with it.
    """
    state = result.state
    headline = search_headline(result)
    return document(
        "search",
        "",
        headline,
        section("basis", "What it rests on", sentences(_basis(result)), importance="answer"),
        section("measured", "Measured", _measured(result)),
        section("skipped", "Skipped", sentences(_skipped(result))),
        section("again", "Again", sentences(again, aside=True)),
        about=(f"{count(len(state.observations), 'block')} of measuring",),
    )


def search_headline(result: SearchResult) -> str:
    """The answer in one sentence."""
    answer, names = result.answer, result.candidates
    good, bad = shown(names[0].title), shown(names[-1].title)
    where = answer.where
    if answer.word in ("culprit", "one of") and where is not None and answer.step is not None:
        step = _ratio(answer.step)
        if where.size == 1:
            return f"{shown(names[where.first].title)} is {step}, than its parent."
        return (
            f"One of {where.size} is {step}, than {shown(names[where.parent].title)}: "
            f"{_listed(result, where)}; those between cannot be measured."
        )
    ends = _ratio(answer.ends) if answer.ends else "not measured"
    if answer.word == "none":
        return f"There is no step: {bad} takes as long as {good} ({ends})."
    if answer.word == "swapped":
        return f"The ends are swapped: {bad} is the faster one ({ends}); exchange good and bad."
    if answer.word == "placement":
        return (
            f"No change of the code made the difference: {bad} is {ends}, as linked, and that goes "
            "away in other layouts of the same code. It is placement."
        )
    if answer.word in ("gradual", "scattered"):
        how = "in many small steps" if answer.word == "gradual" else "back and forth"
        return f"There is no single step: {bad} is {ends}, than {good}, and it came {how}."
    likely = f"; most likely {_listed(result, where)}" if where is not None else ""
    return f"Undecided: the measuring did not suffice{likely}."


def _basis(result: SearchResult) -> Iterator[str]:
    answer, names = result.answer, result.candidates
    if answer.ends is not None:
        yield (
            f"From {shown(names[0].title)} to {shown(names[-1].title)}: {_ratio(answer.ends)}, "
            f"{count(answer.ends.blocks, 'block')}."
        )
    if answer.step is not None:
        yield (
            f"Culprit and parent were measured again, in {count(answer.step.blocks, 'block')} that "
            "had no part in choosing them; the interval is of these alone."
        )
    if answer.several:
        yield "The step is not all of the difference: there is at least one more."
    for where in answer.placed:
        yield f"As linked there is a step at {_listed(result, where)} too, of placement alone."
    if answer.tested == "not tested":
        yield "Whether it is placement was not tested: there are no other layouts."
    if answer.where is not None:
        share = format_percent(answer.where.probability)
        yield f"Its probability, given that there is a step: {share}."


def _measured(result: SearchResult) -> Table | None:
    """A row a candidate, in order, with the median of its ratios to the good end."""
    seen: defaultdict[int, list[float]] = defaultdict(list)
    for block in result.state.observations:
        for reading in block.readings:
            seen[reading.candidate].append(reading.to_good)
    last = len(result.candidates) - 1
    seen[last] = [block.ends for block in result.state.observations]
    rows = [
        (
            shown(result.candidates[c].title),
            len(values),
            f"{math.exp(sorted(values)[len(values) // 2]):.4f}",
        )
        for c, values in sorted(seen.items())
        if values
    ]
    return table("Times relative to the good end", ("candidate", *right("blocks", "ratio")), rows)


def _skipped(result: SearchResult) -> Iterator[str]:
    for candidate, reason in sorted(result.state.skipped.items()):
        yield f"{shown(result.candidates[candidate].title)}: {reason}"


def _listed(result: SearchResult, where: Where) -> str:
    titles = [shown(c.title) for c in result.candidates[where.first : where.last + 1]]
    more = len(titles) - _MOST_NAMED
    return "; ".join(titles[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _ratio(interval: Interval) -> str:
    ends = (math.exp(interval.estimate), math.exp(interval.low), math.exp(min(interval.high, 700)))
    text = ratio_text(*ends)
    return f"{text.factor} {text.interval}".strip()


def dump_search(result: SearchResult) -> str:
    """The JSON text of a search, with every block; docs/search.md describes it."""
    data = {"schema": SCHEMA, "headline": search_headline(result), **encode(result)}
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"
