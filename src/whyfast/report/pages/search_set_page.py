"""A search for a set that has ended: which differences of two ends matter, and how they do."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from whyfast.model.codec import dump, encode
from whyfast.report.document import (
    Document,
    ReportSection,
    Table,
    document,
    right,
    section,
    sentences,
    table,
)
from whyfast.report.formatting import (
    escape_controls,
    format_percent,
    join_words,
    pluralize,
    quote,
    sentence,
)
from whyfast.report.sections.search import alike, compares, scatter_of, surely_unlike
from whyfast.report.sections.summary import search_brief
from whyfast.search.by_set import SetResult
from whyfast.search.confirm import ALPHA, interval
from whyfast.search.ddmin import Failed, Part
from whyfast.search.state import Interval
from whyfast.search.subsets import Subset, Trial, label, level, numbered

#: A share of the difference is told as all of it when it is as near as this, or as its error.
_WHOLE = 0.05
#: Less than this is not worth another search.
_LITTLE = 0.1


def set_page(result: SetResult) -> Document:
    """The answer in a sentence, what it rests on, and every mixture that was measured."""
    every = list(_every(result))
    measured, mixed = (
        sum(n) for n in zip(*((len(_trials(r)), r.answer.subsets) for r in every), strict=True)
    )
    about = (
        f"{pluralize(measured, 'block')} of measuring"
        if result.quantity == "time"
        else f"{result.quantity} of {pluralize(mixed + 2, 'program')}, counted"
    )
    return document(
        "search",
        "",
        set_headline(result),
        section("basis", "What it rests on", sentences(_basis(result)), importance="answer"),
        *(s for i, one in enumerate(every) for s in _course(one, i)),
        about=(about,),
        heading="What exactly",
        summary=search_brief(
            (*_rests_on(result), *_further(result)),
            tuple(_weakened(result)),
            _measured(result, named=True),
            about,
        ),
    )


def _every(result: SetResult) -> Iterator[SetResult]:
    """The result, and the searches of what is left, one after the other."""
    yield result
    if result.further is not None:
        yield from _every(result.further)


def _course(result: SetResult, number: int) -> tuple[ReportSection | None, ...]:
    """What one search rests on, where it is a further one; what was measured, and skipped."""
    suffix, which = (f"-{number}", f", {_bad(result)}") if number else ("", "")
    return (
        section(f"rest{suffix}", f"Next{which}", sentences([set_headline(result), *_basis(result)]))
        if number
        else None,
        section(
            f"measured{suffix}",
            f"Measured{which}",
            _measured(result),
            _differences(result),
            importance="detail",
        ),
        section(f"skipped{suffix}", f"Skipped{which}", sentences(_skipped(result))),
    )


def set_headline(result: SetResult) -> str:
    """The answer in one sentence."""
    answer = result.answer
    good, bad = quote(result.good), _bad(result)
    if answer.outcome == "set":
        named = join_words([_named(result, part) for part in answer.parts])
        if len(answer.parts) == 1:
            return f"{named} carries {_how_much(result)}: {bad} {_ends(result)} than {good}."
        return (
            f"{named} carry {_how_much(result)} together: {bad} {_ends(result)} than {good}; "
            "none of them can be left out."
        )
    if answer.outcome == "none":
        said = alike(result.quantity, _interval(result), good, bad)
        if result.reverted and surely_unlike(result.quantity, _interval(result)):
            return f"No more is searched for: {said}."
        return f"There is nothing {'more ' if result.reverted else ''}to find: {said}."
    if answer.outcome == "swapped":
        said = f"{bad} {_ends(result)} than {good}"
        if result.reverted:
            return f"There is nothing more to find: {said}."
        return f"The ends are swapped: {said}; exchange good and bad."
    if answer.outcome == "placement":
        return (
            f"Placement: as linked {bad} {_ends(result)} than {good}, and in other layouts of the "
            "same code it is not."
        )
    if answer.outcome == "mixed":
        of = pluralize(len(result.differences), "difference")
        means = result.vanishing or "no few of them carry it, or it is placement"
        return (
            f"{bad} {_ends(result)} than {good}, and that vanishes when the {of} between them are "
            f"mixed: {means}."
        )
    return "Undecided: the measuring did not suffice."


def _bad(result: SetResult) -> str:
    """The bad end's name; once something is mended, of its rest."""
    return f"the rest of {quote(result.bad)}" if result.reverted else quote(result.bad)


def _what(result: SetResult) -> str:
    return "what is left" if result.reverted else "the difference"


def _how_much(result: SetResult) -> str:
    """All that is sought, or the share of it where that is another one."""
    level, error = result.answer.whole or (1.0, 0.0)
    if abs(level - 1) <= max(_WHOLE, error if result.quantity == "time" else 0.0):
        return _what(result)
    about = "about " if result.quantity == "time" else ""
    return f"{about}{_share((level, error))} of {_what(result)}"


def _basis(result: SetResult) -> Iterator[str]:
    yield from _rests_on(result)
    if not result.reverted:
        yield from _further(result)
    yield from _weakened(result)


def _rests_on(result: SetResult) -> Iterator[str]:
    answer, timed = result.answer, result.quantity == "time"
    subject = "It has" if result.reverted else "The ends have"
    said = f"{subject} {pluralize(len(result.differences), 'difference')}"
    if result.reverted:
        reverted = join_words([f"`{escape_controls(m)}`" for m in result.reverted])
        said += f", and {reverted} as at {quote(result.good)}"
    if answer.subsets:
        said += f"; {pluralize(answer.subsets, 'mixture')} of them were built and measured"
    yield f"{said}."
    if answer.whole is not None and (rest := _rest(result)):
        subject = "It is enough: w" if len(answer.parts) == 1 else "They are enough: w"
        how = "verified by blocks of its own" if timed else "counted"
        yield (
            f"{subject if _how_much(result) == _what(result) else 'W'}ith nothing else from "
            f"{quote(result.bad)}, {_share(answer.whole)} of {_what(result)} is there, {how}."
        )
        left = level(_judged(result), rest)
        if not math.isnan(left[0]) and not answer.others:
            yield (
                f"With {'that' if len(answer.parts) == 1 else 'these'} as at {quote(result.good)}, "
                f"all others together make {_share(left)} of {_what(result)}."
            )
    for part, alone in zip(answer.parts, answer.alone, strict=False):
        yield f"{_named(result, part)} alone: {_share(alone)} of {_what(result)}."
    if answer.together is not None:
        yield {
            "additive": "They add up.",
            "interplay": "They do not add up: they interact.",
            "unclear": "Whether they add up is not clear.",
        }[answer.together]
    for part in answer.parts:
        if len(part) > 1:
            yield f"{_named(result, part)} could not be measured apart."
    yield from _layouts(result)
    objects = [quote(result.differences[d]) for part in answer.parts for d in part]
    for name in objects if result.axis == "objects" else ():
        if name.endswith(".o"):
            yield f"Which of its functions: `--axis functions --object {name}`."


def _further(result: SetResult) -> Iterator[str]:
    """What the searches of what is left found."""
    for one in _every(result):
        if one.reverted:
            yield set_headline(one)
        if one.note:
            yield sentence(one.note)


def _layouts(result: SetResult) -> Iterator[str]:
    """What other layouts of the same code say."""
    answer = result.answer
    over = np.array([t.ends for t in _trials(result) if t.layouts])
    if not over.size:
        return
    low, high = interval(tuple(over.tolist()), ALPHA)
    said = compares(result.quantity, float(np.median(over)), low, high)
    yield f"Over other layouts {quote(result.bad)} {said} than {quote(result.good)}."
    if told := scatter_of(_trials(result)):
        yield told
    if answer.tested == "partly":
        yield "As linked it is another difference, in part placement: so layouts were drawn always."
    elif answer.over_layouts:
        yield "What carried it as linked does not over layouts: so layouts were drawn from then on."
    elif answer.varied is not None:
        yield f"What was found makes {_share(answer.varied)} of that: it is not placement."


def _weakened(result: SetResult) -> Iterator[str]:
    """What the answer leaves open."""
    searched = "" if result.further or result.note else "; `--all` searches for what carries it"
    if result.answer.others:
        yield (
            f"All others without it carry {_what(result)} too: there is more than one way to it"
            f"{searched}."
        )
    elif (rest := _rest(result)) and searched:
        left, error = level(_judged(result), rest)
        if left > max(_LITTLE, 2 * error):
            yield "It is not all of it: `--all` searches for what carries the rest."
    about_ends = result.answer.outcome in ("none", "swapped")
    untested = result.answer.tested in ("not tested", "undecided")
    if result.quantity == "time" and untested and not about_ends:
        yield "Whether it is placement was not tested: mixtures are measured as linked."


def _measured(result: SetResult, *, named: bool = False) -> Table | None:
    """A row a mixture, the fewest differences first, with its share of the difference; only those
    whose label needs no numbers where they are to be ``named``."""
    trials = _judged(result)
    blocks: defaultdict[Subset, int] = defaultdict(int)
    for trial in trials:
        if trial.subset is not None and not (named and _numbered(result, trial.subset)):
            blocks[trial.subset] += 1
    timed = result.quantity == "time"  # a count is taken once, however many blocks repeat it
    heads = right("differences", *(["blocks"] if timed else []), "share")
    rows: list[tuple[str | int, ...]] = [
        (
            _label(result, subset),
            len(subset),
            *([number] if timed else []),
            _share(level(trials, subset)),
        )
        for subset, number in sorted(blocks.items(), key=lambda s: (len(s[0]), sorted(s[0])))
    ]
    return table("Mixtures", (f"from {quote(result.bad)}", *heads), rows)


def _differences(result: SetResult) -> Table | None:
    """What the numbers in the labels of mixtures stand for."""
    if not any(e.subset and _numbered(result, e.subset) for e in result.events):
        return None
    rows = [(n, escape_controls(title)) for n, title in enumerate(result.differences, 1)]
    return table("Differences", (*right("number"), quote(result.bad)), rows)


def _numbered(result: SetResult, subset: Subset) -> bool:
    """Whether a mixture is not called by names."""
    found = _found(result)
    told = found and subset in (found, _rest(result))
    return not told and numbered(result.differences, subset)


def _label(result: SetResult, subset: Subset) -> str:
    """What a mixture has from the bad end; no two have the same."""
    if subset and subset == _rest(result):
        return "all but what was found"
    if subset == _found(result) and numbered(result.differences, subset):
        return "all that was found"
    return label([escape_controls(d) for d in result.differences], subset)


def _skipped(result: SetResult) -> Iterator[str]:
    for event in result.events:
        if isinstance(event, Failed):
            yield f"{_label(result, event.subset)}: {event.reason}"


def _trials(result: SetResult) -> list[Trial]:
    return [e for e in result.events if isinstance(e, Trial)]


def _judged(result: SetResult) -> list[Trial]:
    """The blocks that the answer is about: as linked, or over layouts."""
    return [t for t in _trials(result) if t.layouts == result.answer.over_layouts]


def _ends(result: SetResult) -> str:
    """What the bad end is or has: a ratio with its interval, or of counts without one."""
    ends = _interval(result)
    if ends is None:
        return "is not measured"
    return compares(result.quantity, ends.estimate, ends.low, ends.high)


def _interval(result: SetResult) -> Interval | None:
    ends = np.array([t.ends for t in _judged(result)])
    if not ends.size:
        return None
    low, high = interval(tuple(ends.tolist()), ALPHA)
    return Interval(float(np.median(ends)), low, high, len(ends))


def _share(of: tuple[float, float]) -> str:
    return "–" if math.isnan(of[0]) else format_percent(round(of[0], 2) + 0.0)


def _found(result: SetResult) -> Subset:
    return frozenset(d for part in result.answer.parts for d in part)


def _rest(result: SetResult) -> Subset:
    """All that was not found, where something was; else none."""
    found = _found(result)
    return frozenset(range(len(result.differences))) - found if found else frozenset()


def _named(result: SetResult, part: Part) -> str:
    return " with ".join(f"`{escape_controls(result.differences[d])}`" for d in part)


def dump_set(result: SetResult) -> str:
    """The JSON text of a search, with every block; docs/search.md describes it."""
    return dump("search-set", {"headline": set_headline(result), **encode(result)})
