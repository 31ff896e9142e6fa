"""A finished search: the culprit, what that rests on, and everything that was measured."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from whyfast.model.codec import dump, encode
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.pages.search_set_page import set_headline, set_page
from whyfast.report.sections.search import (
    PLACED,
    SWAPPED,
    alike,
    because,
    code_shown,
    compares,
    evidence_sentences,
    measured_table,
    posterior_plot,
    posterior_table,
    scatter_of,
    sections_table,
)
from whyfast.report.sections.summary import search_summary
from whyfast.report.sections.why import account_sentences, named_causes
from whyfast.report.sections.why_details import why_sections
from whyfast.search.results import SearchResult, SetResult, deepest, merged_by
from whyfast.search.state import MEASURED, Interval, Where, exact, jumps

#: The most candidates that a sentence names, and the most steps where there is no single one.
_MOST_NAMED, _MOST_STEPS = 5, 3


def search_page(result: SearchResult | SetResult) -> doc.Document:
    """The answer in a sentence, what it rests on, and every measured candidate or mixture."""
    if isinstance(result, SetResult):
        return set_page(result)
    inner = deepest(result)
    others = [search for search in _every(result) if search is not inner]
    states = [search.state for search in _every(result)]
    blocks, built = sum(len(s.observations) for s in states), sum(len(s.built) for s in states)
    taken = f"{fmt.pluralize(blocks, 'block')} of measuring, "
    taken += f"{fmt.pluralize(built, 'candidate')} built between"
    taken += f", {fmt.pluralize(len(states), 'search')}" if len(states) > 1 else ""
    evidence, where = inner.evidence, inner.answer.where
    further, rests, weak = _further(result), tuple(_rests_on(result)), tuple(_weakened(result))
    found: tuple[doc.Block | None, ...] = ()
    beside: list[str] = []
    if evidence is not None:
        texts = list(evidence_sentences(evidence))
        found = doc.sentences(texts), sections_table(evidence), code_shown(evidence)
        # The headline has the causes of an account, else the first sentence of the evidence.
        first = 0 if named_causes(evidence.account) else 1
        beside = [*account_sentences(evidence.account, headline=False), *texts[first:]]
    focus = fmt.quote(inner.at(where.first).title) if where is not None else ""
    return doc.document(
        "search",
        doc.section(
            "basis", "What it rests on", doc.sentences((*rests, *weak)), importance="answer"
        ),
        doc.section("because", "Because", *found),
        *why_sections(evidence.account if evidence is not None else None),
        doc.section("further", "Further steps", doc.sentences(further)),
        *_course(inner),
        *(s for i, search in enumerate(others, 1) for s in _course(search, i, result)),
        headline=search_headline(result),
        about=(taken,),
        heading="Search",
        summary=search_summary(
            (*further, *rests, *beside), weak, measured_table(inner), taken, focus=focus
        ),
    )


def _course(
    result: SearchResult, number: int = 0, outermost: SearchResult | None = None
) -> Iterator[doc.ReportSection | None]:
    """The measured candidates, and the skipped ones."""
    which, suffix = "", f"-{number}" if number else ""
    if number:
        ends = (fmt.quote(result.candidates[i].title) for i in (0, -1))
        which = ", the whole range" if result is outermost else f", {' … '.join(ends)}"
    importance: doc.Importance = "detail" if number else "main"
    shown = posterior_plot(result), measured_table(result), posterior_table(result)
    yield doc.section(f"measured{suffix}", f"Measured{which}", *shown, importance=importance)
    skipped = doc.sentences(
        f"{fmt.quote(result.candidates[candidate].title)}: {reason}"
        for candidate, reason in sorted(result.state.skipped.items())
    )
    yield doc.section(f"skipped{suffix}", f"Skipped{which}", skipped, importance=importance)


def _every(result: SearchResult) -> Iterator[SearchResult]:
    yield result
    for search in result.further:
        yield from _every(search)


def _further(result: SearchResult) -> list[str]:
    """The results of further searches: remainders, repairs, and branches without the step."""
    texts: list[str] = []
    for search in _every(result):
        answer, found = _answer(deepest(search)), search.answer.outcome in ("culprit", "one of")
        if search.why == "remainder" and search.answer.outcome != "swapped":
            texts.append(answer)
        elif search.why == "repair":
            texts.append(_repaired(search) if search.backwards else answer)
        elif search.why == "way back":
            texts.append(_good_again(search))
        elif search.why == "merged branch" and not found:
            tip = fmt.quote(search.candidates[0 if search.backwards else -1].title)
            texts.append(f"In the branch itself, up to {tip}: {_answer(search)}")
            texts += _largest_steps(search)
        texts += search.notes
    return texts


def _repaired(back: SearchResult) -> str:
    """The result of a backward search of a range over which it became better."""
    names, answer = back.candidates, back.answer
    if change := _better(back):
        reverted, clause = change
        return f"{reverted} repaired some of it: {clause}."
    if not answer.ends:
        return _answer(back)
    after, good = fmt.quote(names[-1].title), fmt.quote(names[0].title)
    ends = f"{after} {compares(back.quantity, answer.ends)} than {good}"
    return f"After it some of it was repaired in several steps: {ends}."


def _good_again(back: SearchResult) -> str:
    """The result of a search beyond the bad end; its good end is the last candidate of all."""
    last, bad = fmt.quote(back.candidates[0].title), fmt.quote(back.candidates[-1].title)
    if change := _better(back):
        again, clause = change
        return f"{again} is good again: {clause}."
    if back.answer.outcome in ("none", "swapped"):
        return f"It is not good again: {last} is no better than {bad}."
    return f"Not found where it is good again, up to {last}: {_answer(back)}"


def _better(back: SearchResult) -> tuple[str, str] | None:
    """The candidate that became better, and how the one before compares with it."""
    where, step = back.answer.where, back.answer.step
    if back.answer.outcome not in ("culprit", "one of") or where is None or not step:
        return None
    better, before = (fmt.quote(back.candidates[i].title) for i in (where.parent, where.last))
    return better, f"{before} {compares(back.quantity, step)} than that"


def search_headline(result: SearchResult) -> str:
    """The answer in one sentence."""
    inner = deepest(result)
    text = _answer(inner)
    if merges := merged_by(result):
        names = fmt.quoted(m.title.split(" ", 1)[0] for m in merges)
        text = f"{text[:-1]}; it came in by {'merges' if len(merges) > 1 else 'the merge'} {names}."
    if inner.evidence is not None and (why := because(inner.evidence)):
        text = f"{text[:-1]}: {why}."
    return text


def _answer(result: SearchResult) -> str:
    answer, names = result.answer, result.candidates
    good, bad = fmt.quote(names[0].title), fmt.quote(names[-1].title)
    where = answer.where
    if answer.outcome in ("culprit", "one of") and where is not None and answer.step is not None:
        older = fmt.quote(names[result.sides(where)[0]].title)
        step = compares(result.quantity, _newer(result, answer.step))
        culprit = (
            f"one of {where.size}" if where.size > 1 else fmt.quote(result.at(where.first).title)
        )
        text = f"{culprit} {step}"
        if result.quantity in MEASURED:
            text = f"Made {'faster' if result.backwards else 'slower'} by {culprit}, which {step}"
        if where.size == 1:
            return f"{text} than {'its parent' if result.axis == 'commits' else older}."
        return (
            f"{text[0].upper()}{text[1:]} than {older}: {_listed(result, where)}; the candidates "
            "between cannot be measured."
        )
    ends = compares(result.quantity, answer.ends)
    if answer.outcome == "none":
        return f"There is no step: {alike(result.quantity, answer.ends, good, bad)}."
    if answer.outcome == "swapped":
        return SWAPPED.format(f"{bad} {ends} than {good}")
    if answer.outcome == "placement":
        return f"Placement, not a change of the code: {PLACED.format(f'{bad} {ends} than {good}')}"
    if answer.outcome in ("gradual", "scattered"):
        how = "grew in many small steps" if answer.outcome == "gradual" else "went back and forth"
        if exact(result.state) and len({jump > 0 for *_, jump in jumps(result.state) if jump}) == 1:
            how = "came in several steps"
        return f"There is no single step: {_of_ends(result, answer.ends)}; it {how}."
    likely = f"; most likely {_listed(result, where)}" if where is not None else ""
    return f"Undecided: not enough measurements{likely}."


def _rests_on(result: SearchResult) -> Iterator[str]:
    """The measurements behind the answer, and its probability."""
    answer, inner = result.answer, deepest(result)
    if answer.ends is not None and answer.outcome not in ("none", "swapped"):  # in the headline
        blocks = fmt.pluralize(answer.ends.blocks, "block")
        yield f"The ends: {_of_ends(result, answer.ends)}, in {blocks}."
    if answer.step is None:
        yield from _largest_steps(result)
    if answer.varied is not None:
        yield f"In other layouts {_of_ends(result, answer.varied)}."
        yield from filter(None, [scatter_of(result.state.observations)])
    if result.quantity not in MEASURED:
        yield "Counts repeat exactly: each program was counted once."
    elif exact(result.state):
        yield "The printed number never varied, so it counts as exact."
    elif answer.step is not None:
        yield (
            "Culprit and parent were measured again in "
            f"{fmt.pluralize(answer.step.blocks, 'block')}, which had no part in choosing them; "
            "the interval is from these blocks alone."
        )
    if inner is not result and inner.answer.step is not None and inner.quantity in MEASURED:
        yield (
            f"In the merged branch culprit and parent were measured in "
            f"{fmt.pluralize(inner.answer.step.blocks, 'block')} of their own."
        )
    if answer.where is not None:
        share = fmt.percent(answer.where.probability)
        yield f"Probability of this place, given that there is a step: {share}."


def _largest_steps(result: SearchResult) -> Iterator[str]:
    """The largest steps of counts, between candidates that follow each other or were not told
    apart: where there is no single one; else those that are larger than the culprit's."""
    answer, least = result.answer, 0.0
    if answer.step is not None:
        least = abs(answer.step.estimate) + math.log1p(result.state.task.margin)
    elif answer.outcome not in ("gradual", "scattered"):
        return
    for low, high, jump in jumps(result.state)[:_MOST_STEPS] if exact(result.state) else ():
        if abs(jump) <= least:
            return
        where = Where(low + 1, high, 1.0)
        older, newer = (fmt.quote(result.candidates[i].title) for i in result.sides(where))
        step = compares(result.quantity, _newer(result, Interval(jump, jump, jump, 1)))
        among = "" if where.size == 1 else f", over {where.size} {result.axis}"
        yield f"{newer} {step} than {older}{among}."


def _weakened(result: SearchResult) -> Iterator[str]:
    answer = result.answer
    if answer.several:
        searched = any(search.why == "remainder" for search in result.further)
        more = "the rest was searched" if searched else "--all searches for the others"
        yield f"The step explains only part of the difference: {more}."
    inner = deepest(result)
    if inner.answer.step is not None:
        yield from (f"There is a larger step: {text}" for text in _largest_steps(inner))
    for where in answer.placed:
        yield f"As linked there is also a step at {_listed(result, where)}, by placement alone."
    timed = result.quantity == "time" and not exact(result.state)
    if timed and answer.outcome not in ("none", "swapped"):
        if answer.tested == "not tested":
            yield "Placement was not tested: there are no other layouts."
        elif answer.tested == "undecided":
            yield "Whether placement made the difference is undecided."


def _listed(result: SearchResult, where: Where) -> str:
    titles = [fmt.quote(result.at(i).title) for i in range(where.first, where.last + 1)]
    more = f" and {len(titles) - _MOST_NAMED} more" if len(titles) > _MOST_NAMED else ""
    return f"{'; '.join(titles[:_MOST_NAMED])}{more}"


def _newer(result: SearchResult, interval: Interval) -> Interval:
    """The log ratio of bad to good as that of the newer to the older."""
    if not result.backwards:
        return interval
    return replace(interval, estimate=-interval.estimate, low=-interval.high, high=-interval.low)


def _of_ends(result: SearchResult, ends: Interval | None) -> str:
    """How the newer end compares with the older one, as a clause."""
    older, newer = (fmt.quote(result.candidates[i].title) for i in (0, -1))
    if result.backwards:
        older, newer = newer, older
    if ends is None:
        return f"{newer} was not measured"
    return f"{newer} {compares(result.quantity, _newer(result, ends))} than {older}"


def dump_search(result: SearchResult | SetResult) -> str:
    """The JSON text of a search, with every block; docs/schemas describes it."""
    if isinstance(result, SetResult):
        return dump("search-set", {"headline": set_headline(result), **encode(result)})
    return dump("search", {"headline": search_headline(result), **encode(result)})
