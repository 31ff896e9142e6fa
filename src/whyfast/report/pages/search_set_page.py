"""A search for a set that has ended: which differences of two ends matter, and how they do."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from whyfast.model.codec import encode
from whyfast.report.document import Document, Table, document, right, section, sentences, table
from whyfast.report.names import count, listed, shown, visible
from whyfast.report.numbers import format_percent
from whyfast.report.topics.first_search import search_brief
from whyfast.report.topics.search_costs import alike, compares
from whyfast.report.topics.search_layouts import scatter_of
from whyfast.search.answer import Interval
from whyfast.search.confirm import ALPHA, interval
from whyfast.search.minimal import Part
from whyfast.search.minimise import Failed
from whyfast.search.run_set import SetResult
from whyfast.search.subsets import Subset, Trial, level

#: Raised by one whenever a reader of the old form would misread the new one.
SCHEMA = "whyfast-search-set/1"

_MOST_NAMED = 3


def set_page(result: SetResult) -> Document:
    """The answer in a sentence, what it rests on, and every mixture that was measured."""
    measured, answer = len(_trials(result)), result.answer
    about = (
        f"{count(measured, 'block')} of measuring"
        if result.quantity == "time"
        else f"{result.quantity} of {count(answer.subsets + 2, 'program')}, counted"
    )
    return document(
        "search",
        "",
        set_headline(result),
        section("basis", "What it rests on", sentences(_basis(result)), importance="answer"),
        section("measured", "Measured", _measured(result), importance="detail"),
        section("skipped", "Skipped", sentences(_skipped(result))),
        about=(about,),
        heading="What exactly",
        brief=search_brief(
            tuple(_rests_on(result)), tuple(_weakened(result)), _measured(result), about
        ),
    )


def set_headline(result: SetResult) -> str:
    """The answer in one sentence."""
    answer = result.answer
    good, bad = shown(result.good), shown(result.bad)
    if answer.word == "set":
        named = listed([_named(result, part) for part in answer.parts])
        if len(answer.parts) == 1:
            return f"{named} carries the difference: {bad} {_ends(result)} than {good}."
        return (
            f"{named} carry the difference together: {bad} {_ends(result)} than {good}; "
            "none of them can be left out."
        )
    if answer.word == "none":
        return f"There is nothing to find: {alike(result.quantity, _interval(result), good, bad)}."
    if answer.word == "swapped":
        return f"The ends are swapped: {bad} {_ends(result)} than {good}; exchange good and bad."
    if answer.word == "placement":
        return (
            f"Placement: as linked {bad} {_ends(result)} than {good}, and in other layouts of the "
            "same code it is not."
        )
    if answer.word == "mixed":
        of = count(len(result.differences), "difference")
        means = result.vanishing or "no few of them carry it, or it is placement"
        return (
            f"{bad} {_ends(result)} than {good}, and that vanishes when the {of} between them are "
            f"mixed: {means}."
        )
    return "Undecided: the measuring did not suffice."


def _basis(result: SetResult) -> Iterator[str]:
    yield from _rests_on(result)
    yield from _weakened(result)


def _rests_on(result: SetResult) -> Iterator[str]:
    answer, timed = result.answer, result.quantity == "time"
    of = count(len(result.differences), "difference")
    yield f"The ends have {of}; {count(answer.subsets, 'mixture')} of them were built and measured."
    if answer.whole is not None and len(result.differences) > len(_joined(answer.parts)):
        subject = "It is" if len(answer.parts) == 1 else "They are"
        how = "verified by blocks of its own" if timed else "by counts that repeat exactly"
        yield (
            f"{subject} enough: with nothing else from {shown(result.bad)}, "
            f"{_share(answer.whole)} of the difference is there, {how}."
        )
    for part, alone in zip(answer.parts, answer.alone, strict=False):
        yield f"{_named(result, part)} alone: {_share(alone)} of the difference."
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
    objects = [shown(result.differences[d]) for part in answer.parts for d in part]
    for name in objects if result.axis == "objects" else ():
        if name.endswith(".o"):
            yield f"Which of its functions: `--axis functions --object {name}`."


def _layouts(result: SetResult) -> Iterator[str]:
    """What other layouts of the same code say."""
    answer = result.answer
    over = np.array([t.ends for t in _trials(result) if t.layouts])
    if not over.size:
        return
    low, high = interval(tuple(over.tolist()), ALPHA)
    said = compares(result.quantity, float(np.median(over)), low, high)
    yield f"Over other layouts {shown(result.bad)} {said} than {shown(result.good)}."
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
    if result.answer.others:
        yield "All others without it carry the difference too: there is more than one way to it."
    about_ends = result.answer.word in ("none", "swapped")
    untested = result.answer.tested in ("not tested", "undecided")
    if result.quantity == "time" and untested and not about_ends:
        yield "Whether it is placement was not tested: mixtures are measured as linked."


def _measured(result: SetResult) -> Table | None:
    """A row a mixture, the fewest differences first, with its share of the difference."""
    trials = _judged(result)
    blocks: defaultdict[Subset, int] = defaultdict(int)
    for trial in trials:
        if trial.subset is not None:
            blocks[trial.subset] += 1
    timed = result.quantity == "time"  # a count is taken once, however many blocks repeat it
    heads = right("differences", *(["blocks"] if timed else []), "share")
    rows: list[tuple[str | int, ...]] = [
        (
            _listed(result, sorted(subset)),
            len(subset),
            *([number] if timed else []),
            _share(level(trials, subset)),
        )
        for subset, number in sorted(blocks.items(), key=lambda s: (len(s[0]), sorted(s[0])))
    ]
    return table("Mixtures", (f"from {shown(result.bad)}", *heads), rows)


def _skipped(result: SetResult) -> Iterator[str]:
    for event in result.events:
        if isinstance(event, Failed):
            yield f"{_listed(result, sorted(event.subset))}: {event.reason}"


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


def _joined(parts: Sequence[Part]) -> Part:
    return tuple(d for part in parts for d in part)


def _named(result: SetResult, part: Part) -> str:
    return " with ".join(f"`{visible(result.differences[d])}`" for d in part)


def _listed(result: SetResult, numbers: Sequence[int]) -> str:
    named = [visible(result.differences[d]) for d in numbers[:_MOST_NAMED]]
    more = len(numbers) - _MOST_NAMED
    return "; ".join(named) + (f" and {more} more" if more > 0 else "")


def dump_set(result: SetResult) -> str:
    """The JSON text of a search, with every block; docs/search.md describes it."""
    data = {"schema": SCHEMA, "headline": set_headline(result), **encode(result)}
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"
