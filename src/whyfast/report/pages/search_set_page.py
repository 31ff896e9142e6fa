"""A finished search in a set: which differences of two ends carry the slowdown."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections import search
from whyfast.report.sections.summary import search_summary
from whyfast.search.ddmin import Failed, Part
from whyfast.search.results import SetResult
from whyfast.search.state import MEASURED
from whyfast.search.view import Subset, Trial, interval_of, label, level, numbered

#: A share this close to 1, or within its error, counts as the whole difference.
_WHOLE = 0.05
#: Whether the shares of the culprits sum up.
_TOGETHER = {
    "additive": "They add up.",
    "interplay": "They do not add up: they interact.",
    "unclear": "Whether they add up is unclear.",
}
#: A smaller share does not deserve another search.
_LITTLE = 0.1


def set_page(result: SetResult) -> doc.Document:
    """The answer in a sentence, what it rests on, and every measured mixture."""
    every = list(_every(result))
    blocks = sum(len(_trials(search)) for search in every)
    taken = f"{fmt.pluralize(blocks, 'block')} of measuring"
    if result.quantity not in MEASURED:
        programs = sum(search.answer.subsets for search in every) + 2
        taken = f"{result.quantity} of {fmt.pluralize(programs, 'program')}, counted"
    rests, weak = (*_rests_on(result), *_further(result)), tuple(_weakened(result))
    return doc.document(
        "search",
        doc.section(
            "basis", "What it rests on", doc.sentences(_basis(result)), importance="answer"
        ),
        *(s for i, search in enumerate(every) for s in _course(search, i)),
        headline=set_headline(result),
        about=(taken,),
        heading="Search",
        summary=search_summary(rests, weak, _measured(result, named=True), taken),
    )


def _every(result: SetResult) -> Iterator[SetResult]:
    """The result, and the searches of the remaining difference, in order."""
    yield result
    if result.further is not None:
        yield from _every(result.further)


def _course(result: SetResult, number: int) -> Iterator[doc.ReportSection | None]:
    """What a further search rests on; what was measured, and skipped."""
    suffix, which = (f"-{number}", f", {_bad(result)}") if number else ("", "")
    rest = [set_headline(result), *_basis(result)] if number else []
    failed = (e for e in result.events if isinstance(e, Failed))
    skipped = (f"{_label(result, e.subset)}: {e.reason}" for e in failed)
    yield doc.section(f"rest{suffix}", f"Next{which}", doc.sentences(rest))
    # The differences by the numbers in the labels of mixtures.
    numbers: list[tuple[int, str]] = []
    if any(e.subset and _numbered(result, e.subset) for e in result.events):
        numbers = list(enumerate(map(fmt.escape_controls, result.differences), 1))
    named = doc.table("Differences", (*doc.right("number"), fmt.quote(result.bad)), numbers)
    yield doc.detail(f"measured{suffix}", f"Measured{which}", _measured(result), named)
    yield doc.section(f"skipped{suffix}", f"Skipped{which}", doc.sentences(skipped))


def set_headline(result: SetResult) -> str:
    """The answer in one sentence."""
    answer, further = result.answer, bool(result.reverted)
    good, bad = fmt.quote(result.good), _bad(result)
    interval = interval_of([t.ends for t in _judged(result)])
    ends = f"{bad} {search.compares(result.quantity, interval)} than {good}"
    if answer.outcome == "set":
        named = fmt.join([_named(result, part) for part in answer.parts])
        if len(answer.parts) == 1:
            return f"{named} carries {_how_much(result)}: {ends}."
        return f"{named} carry {_how_much(result)} together: {ends}; each of them is necessary."
    if answer.outcome == "none":
        clause = search.alike(result.quantity, interval, good, bad)
        if further and search.surely_unlike(result.quantity, interval):
            return f"The search ends here: {clause}."
        return f"There is no {'further ' if further else ''}difference: {clause}."
    if answer.outcome == "swapped":
        return f"There is no further slowdown: {ends}." if further else search.SWAPPED.format(ends)
    if answer.outcome == "placement":
        return f"Placement: {search.PLACED.format(ends)}"
    if answer.outcome == "mixed":
        number = fmt.pluralize(len(result.differences), "difference")
        means = result.vanishing or "more than a few of them carry it, or it is placement"
        return f"{ends}, and that disappears when the {number} between them are mixed: {means}."
    return "Undecided: not enough measurements."


def _bad(result: SetResult) -> str:
    """The bad end's name; with culprits reverted, that of its rest."""
    return f"the rest of {fmt.quote(result.bad)}" if result.reverted else fmt.quote(result.bad)


def _what(result: SetResult) -> str:
    return "the remaining difference" if result.reverted else "the difference"


def _how_much(result: SetResult) -> str:
    level, error = result.answer.whole or (1.0, 0.0)
    if abs(level - 1) <= max(_WHOLE, error if result.quantity in MEASURED else 0.0):
        return _what(result)
    about = "about " if result.quantity in MEASURED else ""
    return f"{about}{_share((level, error))} of {_what(result)}"


def _basis(result: SetResult) -> Iterator[str]:
    yield from _rests_on(result)
    if not result.reverted:
        yield from _further(result)
    yield from _weakened(result)


def _rests_on(result: SetResult) -> Iterator[str]:
    answer, timed = result.answer, result.quantity in MEASURED
    subject = "It has" if result.reverted else "The ends have"
    text = f"{subject} {fmt.pluralize(len(result.differences), 'difference')}"
    if result.reverted:
        reverted = fmt.join(map(fmt.as_code, result.reverted))
        text += f", with {reverted} set as in {fmt.quote(result.good)}"
    if answer.subsets:
        text += f"; {fmt.pluralize(answer.subsets, 'mixture')} of them were built and measured"
    yield f"{text}."
    if answer.whole is not None and (rest := _rest(result)):
        single, good = len(answer.parts) == 1, fmt.quote(result.good)
        start = f"{'It is' if single else 'They are'} sufficient: with"
        if _how_much(result) != _what(result):
            start = "With"
        how = "verified in separate blocks" if timed else "counted"
        yield (
            f"{start} nothing else from {fmt.quote(result.bad)}, {_share(answer.whole)} of "
            f"{_what(result)} is there, {how}."
        )
        others = level(_judged(result), rest)
        if not math.isnan(others[0]) and not answer.others:
            yield (
                f"With {'it' if single else 'these'} set as in {good}, all others together make "
                f"{_share(others)} of {_what(result)}."
            )
    for part, alone in zip(answer.parts, answer.alone, strict=False):
        yield f"{_named(result, part)} alone: {_share(alone)} of {_what(result)}."
    if answer.together is not None:
        yield _TOGETHER[answer.together]
    for part in answer.parts:
        if len(part) > 1:
            yield f"{_named(result, part)} could not be measured separately."
    yield from _layouts(result)
    objects = [fmt.quote(result.differences[d]) for part in answer.parts for d in part]
    for name in objects if result.axis == "objects" else ():
        if name.endswith(".o"):
            yield f"Which of its functions: `--axis functions --object {name}`."


def _further(result: SetResult) -> Iterator[str]:
    """The results of the searches of the remaining difference."""
    for further in _every(result):
        if further.reverted:
            yield set_headline(further)
        if further.note:
            yield fmt.sentence(further.note)


def _layouts(result: SetResult) -> Iterator[str]:
    """What other layouts of the same code say."""
    answer = result.answer
    over = interval_of([t.ends for t in _trials(result) if t.layouts])
    if over is None:
        return
    clause = search.compares(result.quantity, over)
    yield f"In other layouts {fmt.quote(result.bad)} {clause} than {fmt.quote(result.good)}."
    if scatter := search.scatter_of(_trials(result)):
        yield scatter
    if answer.tested == "partly":
        yield "The difference as linked is in part placement, so all blocks drew layouts."
    elif answer.over_layouts:
        yield "The culprit as linked is placement, so all later blocks drew layouts."
    elif answer.varied is not None:
        yield f"The culprits carry {_share(answer.varied)} of that: it is not placement."


def _weakened(result: SetResult) -> Iterator[str]:
    searched = "" if result.further or result.note else "; `--all` searches for the others"
    if result.answer.others:
        yield (
            f"The other differences carry {_what(result)} too: there is more than one cause"
            f"{searched}."
        )
    elif (rest := _rest(result)) and searched:
        left, error = level(_judged(result), rest)
        if left > max(_LITTLE, 2 * error):
            yield "It explains only part of the difference: `--all` searches for the others."
    about_ends = result.answer.outcome in ("none", "swapped")
    untested = result.answer.tested in ("not tested", "undecided")
    if result.quantity == "time" and untested and not about_ends:
        yield "Placement was not tested: mixtures are measured as linked."


def _measured(result: SetResult, *, named: bool = False) -> doc.Table | None:
    """One row per mixture, the fewest differences first, with its share of the difference.
    ``named``: only mixtures whose labels need no numbers."""
    trials = _judged(result)
    blocks: Counter[Subset] = Counter(t.subset for t in trials if t.subset is not None)
    rows: list[tuple[str | int, ...]] = []
    timed = result.quantity in MEASURED  # a count is taken once, however many blocks repeat it
    for subset in sorted(blocks, key=lambda s: (len(s), sorted(s))):
        if not (named and _numbered(result, subset)):
            number = [blocks[subset]] if timed else []
            share = _share(level(trials, subset))
            rows.append((_label(result, subset), len(subset), *number, share))
    heads = doc.right("differences", *(["blocks"] if timed else []), "share")
    return doc.table("Mixtures", (f"from {fmt.quote(result.bad)}", *heads), rows)


def _numbered(result: SetResult, subset: Subset) -> bool:
    """Whether a mixture's label needs numbers."""
    culprits = _culprits(result)
    described = culprits and subset in (culprits, _rest(result))
    return not described and numbered(result.differences, subset)


def _label(result: SetResult, subset: Subset) -> str:
    """What a mixture has from the bad end; unique."""
    if subset and subset == _rest(result):
        return "all but the culprits"
    if subset == _culprits(result) and numbered(result.differences, subset):
        return "all culprits"
    return label([fmt.escape_controls(d) for d in result.differences], subset)


def _trials(result: SetResult) -> list[Trial]:
    return [e for e in result.events if isinstance(e, Trial)]


def _judged(result: SetResult) -> list[Trial]:
    """The blocks that the answer is about: as linked, or over layouts."""
    return [t for t in _trials(result) if t.layouts == result.answer.over_layouts]


def _share(level_error: tuple[float, float]) -> str:
    share = level_error[0]
    return "–" if math.isnan(share) else fmt.percent(round(share, 2) + 0.0)


def _culprits(result: SetResult) -> Subset:
    return frozenset(d for part in result.answer.parts for d in part)


def _rest(result: SetResult) -> Subset:
    """All but the culprits, empty without culprits."""
    culprits = _culprits(result)
    return frozenset(range(len(result.differences))) - culprits if culprits else frozenset()


def _named(result: SetResult, part: Part) -> str:
    return " with ".join(fmt.as_code(result.differences[d]) for d in part)
