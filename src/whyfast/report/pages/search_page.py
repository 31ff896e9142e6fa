"""A search that has ended: since when, or what exactly; and everything that was measured for it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from whyfast.model.codec import dump, encode
from whyfast.report.document import Document, ReportSection, document, section, sentences
from whyfast.report.formatting import format_percent, join_words, pluralize, quote, ratio_text
from whyfast.report.sections.search import (
    alike,
    because,
    code_shown,
    compares,
    evidence_sentences,
    exact,
    measured_table,
    posterior_plot,
    posterior_table,
    scatter_of,
    sections_table,
)
from whyfast.report.sections.summary import search_brief
from whyfast.search.requests import deepest, merged_by
from whyfast.search.run import SearchResult
from whyfast.search.state import Interval, Where

_MOST_NAMED = 5


def search_page(result: SearchResult, *, again: Sequence[str] = ()) -> Document:
    """The answer in a sentence, what it rests on, and every candidate that was measured.

    ``again`` are command lines that repeat or go on with it.
    """
    inner = deepest(result)
    others = [one for one in _every(result) if one is not inner]
    evidence = inner.evidence
    return document(
        "search",
        "",
        search_headline(result),
        section("basis", "What it rests on", sentences(_basis(result)), importance="answer"),
        section(
            "because",
            "Because",
            *(
                (
                    sentences(evidence_sentences(evidence)),
                    sections_table(evidence),
                    code_shown(evidence),
                )
                if evidence is not None
                else ()
            ),
        ),
        section("further", "Further steps", sentences(_further(result))),
        *_course(inner, ""),
        *(s for i, one in enumerate(others) for s in _course(one, _which(one, result), i + 1)),
        section("again", "Again", sentences(again, aside=True)),
        about=(_taken(result),),
        heading="Since when",
        summary=search_brief(
            (*_further(result), *_rests_on(result), *_first_evidence(inner)),
            tuple(_weakened(result)),
            measured_table(inner),
            _taken(result),
            focus=quote(inner.at(inner.answer.where.first).title)
            if inner.answer.where is not None
            else "",
        ),
    )


def _first_evidence(result: SearchResult) -> tuple[str, ...]:
    """What the headline does not say of the machine code."""
    return () if result.evidence is None else tuple(evidence_sentences(result.evidence))[1:]


def _course(
    result: SearchResult, which: str, number: int = 0
) -> tuple[ReportSection | None, ReportSection | None]:
    """What was measured, and skipped."""
    suffix = f"-{number}" if number else ""
    return (
        section(
            f"measured{suffix}",
            f"Measured{which}",
            posterior_plot(result),
            measured_table(result),
            posterior_table(result),
            importance="detail" if number else "main",
        ),
        section(
            f"skipped{suffix}",
            f"Skipped{which}",
            sentences(_skipped(result)),
            importance="detail" if number else "main",
        ),
    )


def _which(one: SearchResult, outermost: SearchResult) -> str:
    if one is outermost:
        return ", the whole range"
    return f", {quote(one.candidates[0].title)} … {quote(one.candidates[-1].title)}"


def _every(result: SearchResult) -> Iterator[SearchResult]:
    """The result and all further ones."""
    yield result
    for one in result.further:
        yield from _every(one)


def _taken(result: SearchResult) -> str:
    states = [one.state for one in _every(result)]
    blocks, built = sum(len(s.observations) for s in states), sum(len(s.built) for s in states)
    taken = (
        f"{pluralize(blocks, 'block')} of measuring, {pluralize(built, 'candidate')} built between"
    )
    return f"{taken}, {len(states)} searches" if len(states) > 1 else taken


def _further(result: SearchResult) -> Iterator[str]:
    """What the searches of the remainders found, where it is good again, and merged branches that
    do not show it."""
    for one in _every(result):
        if one.why == "remainder" and one.answer.outcome != "swapped":
            yield _told(deepest(one))
        elif one.why == "repair":
            yield _repaired(one) if one.backwards else _told(deepest(one))
        elif one.why == "way back":
            yield _good_again(one)
        elif one.why == "merged branch" and one.answer.outcome not in ("culprit", "one of"):
            tip = quote(one.candidates[-1].title)
            yield f"In the branch itself, up to {tip}: {_told(one)}"
        yield from one.notes


def _repaired(back: SearchResult) -> str:
    """What a search backwards through a range found over which it became better."""
    names, answer = back.candidates, back.answer
    if answer.outcome in ("culprit", "one of") and answer.where is not None and answer.step:
        reverted, before = (quote(names[i].title) for i in (answer.where.parent, answer.where.last))
        return f"{reverted} repaired some of it: {before} {_compares(back, answer.step)} than that."
    after, good = quote(names[-1].title), quote(names[0].title)
    ends = f"{after} {_compares(back, answer.ends)} than {good}" if answer.ends else ""
    return f"After it some of it was repaired, step by step: {ends}." if ends else _told(back)


def _good_again(back: SearchResult) -> str:
    """What a search beyond the bad end found; its good end is the last of all."""
    names, answer = back.candidates, back.answer
    last, bad = quote(names[0].title), quote(names[-1].title)
    if answer.outcome in ("culprit", "one of") and answer.where is not None and answer.step:
        again, before = (quote(names[i].title) for i in (answer.where.parent, answer.where.last))
        return f"{again} is good again: {before} {_compares(back, answer.step)} than that."
    if answer.outcome in ("none", "swapped"):
        return f"It is not good again: {last} is no faster than {bad}."
    return f"Where it is good again, up to {last}, was not found: {_told(back)}"


def search_headline(result: SearchResult) -> str:
    """The answer in one sentence."""
    inner = deepest(result)
    said = _told(inner)
    if merges := merged_by(result):
        names = join_words([quote(m.title.split(" ", 1)[0]) for m in merges])
        said = f"{said[:-1]}; it came in by {'merges' if len(merges) > 1 else 'the merge'} {names}."
    if inner.evidence is not None and (why := because(inner.evidence)):
        said = f"{said[:-1]}: {why}."
    return said


def _told(result: SearchResult) -> str:
    """The answer of one search."""
    answer, names = result.answer, result.candidates
    good, bad = quote(names[0].title), quote(names[-1].title)
    where = answer.where
    if answer.outcome in ("culprit", "one of") and where is not None and answer.step is not None:
        older = quote(names[result.sides(where)[0]].title)
        step = _compares(result, _newer(result, answer.step))
        one = f"one of {where.size}" if where.size > 1 else quote(result.at(where.first).title)
        said = f"{one} {step}"
        if result.quantity == "time":
            said = f"Made {'faster' if result.backwards else 'slower'} by {one}, which {step}"
        if where.size == 1:
            return f"{said} than {'its parent' if result.axis == 'commits' else older}."
        return (
            f"{said[0].upper()}{said[1:]} than {older}: {_listed(result, where)}; those between "
            "cannot be measured."
        )
    ends = _compares(result, answer.ends) if answer.ends else "was not measured"
    if answer.outcome == "none":
        return f"There is no step: {alike(result.quantity, answer.ends, good, bad)}."
    if answer.outcome == "swapped":
        return f"The ends are swapped: {bad} {ends} than {good}; exchange good and bad."
    if answer.outcome == "placement":
        return (
            f"No change of the code made the difference: {bad} {ends} as linked, and that goes "
            "away in other layouts of the same code. It is placement."
        )
    if answer.outcome in ("gradual", "scattered"):
        how = "in many small steps" if answer.outcome == "gradual" else "back and forth"
        return f"There is no single step: {_of_ends(result, answer.ends)}, and it came {how}."
    likely = f"; most likely {_listed(result, where)}" if where is not None else ""
    return f"Undecided: the measuring did not suffice{likely}."


def _basis(result: SearchResult) -> Iterator[str]:
    yield from _rests_on(result)
    yield from _weakened(result)


def _rests_on(result: SearchResult) -> Iterator[str]:
    """What was measured, and how sure that makes it."""
    answer = result.answer
    if answer.ends is not None and answer.outcome not in ("none", "swapped"):  # told already
        blocks = pluralize(answer.ends.blocks, "block")
        yield f"Of the ends, {_of_ends(result, answer.ends)}, by {blocks}."
    if answer.varied is not None:
        yield f"Over other layouts {_of_ends(result, answer.varied)}."
        if told := scatter_of(result.state.observations):
            yield told
    if result.quantity != "time":
        yield "Counts repeat exactly: each program was counted once."
    elif exact(result):
        yield "What is printed is the same every time, and taken for a count."
    elif answer.step is not None:
        yield (
            f"Culprit and parent were measured again, in {pluralize(answer.step.blocks, 'block')} that "
            "had no part in choosing them; the interval is of these alone."
        )
    inner = deepest(result)
    if inner is not result and inner.answer.step is not None and inner.quantity == "time":
        yield (
            f"In the merged branch culprit and parent were measured in "
            f"{pluralize(inner.answer.step.blocks, 'block')} of their own."
        )
    if answer.where is not None:
        share = format_percent(answer.where.probability)
        yield f"Its probability, given that there is a step: {share}."


def _weakened(result: SearchResult) -> Iterator[str]:
    """What the answer leaves open."""
    answer = result.answer
    if answer.several:
        searched = any(one.why == "remainder" for one in result.further)
        more = (
            "the rest was searched"
            if searched
            else "there is at least one more; --all searches for it"
        )
        yield f"The step is not all of the difference: {more}."
    for where in answer.placed:
        yield f"As linked there is a step at {_listed(result, where)} too, of placement alone."
    about_ends = answer.outcome in ("none", "swapped")
    if answer.tested == "not tested" and not about_ends and not exact(result):
        yield "Whether it is placement was not tested: there are no other layouts."


def _skipped(result: SearchResult) -> Iterator[str]:
    for candidate, reason in sorted(result.state.skipped.items()):
        yield f"{quote(result.candidates[candidate].title)}: {reason}"


def _listed(result: SearchResult, where: Where) -> str:
    titles = [quote(result.at(i).title) for i in range(where.first, where.last + 1)]
    more = len(titles) - _MOST_NAMED
    return "; ".join(titles[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _newer(result: SearchResult, of: Interval) -> Interval:
    """The log ratio of bad to good as that of the newer to the older."""
    return (
        replace(of, estimate=-of.estimate, low=-of.high, high=-of.low) if result.backwards else of
    )


def _of_ends(result: SearchResult, of: Interval | None) -> str:
    """How the newer end compares with the older one, as a clause."""
    older, newer = (quote(result.candidates[i].title) for i in (0, -1))
    if result.backwards:
        older, newer = newer, older
    return (
        f"{newer} {_compares(result, _newer(result, of)) if of else 'is not measured'} than {older}"
    )


def _compares(result: SearchResult, interval: Interval) -> str:
    """The ratio and its interval, or no interval while too few blocks bound it."""
    if result.quantity == "time" and not math.isfinite(interval.low + interval.high):
        ratio = math.exp(interval.estimate)
        return f"is about {ratio_text(ratio, ratio, ratio).factor}"
    return compares(result.quantity, interval.estimate, interval.low, interval.high)


def dump_search(result: SearchResult) -> str:
    """The JSON text of a search, with every block; docs/search.md describes it."""
    return dump("search", {"headline": search_headline(result), **encode(result)})
