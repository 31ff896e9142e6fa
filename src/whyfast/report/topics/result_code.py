"""The machine code of a result's builds side by side, and links to it from what is said of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from whyfast.model.result import Result
from whyfast.report.document import ReportSection, Sentence, Sentences
from whyfast.report.names import shown
from whyfast.report.topics.code_sides import code_section, pair_name

if TYPE_CHECKING:
    from whyfast.model.code_listing import CodePair, ProgramCode

#: Functions of one pair that are shown; a tail-call interpreter has one a handler.
MOST_FUNCTIONS = 12
#: What a sentence must speak of to be about the code of two builds.
_ABOUT_CODE = re.compile("indirect jump")


def result_code_section(result: Result, said: Sequence[str]) -> ReportSection | None:
    """Each variant beside the main baseline, and the pairs that the answer speaks of."""
    code = {one.variant: one for one in result.found.code}
    pairs = [_side_by_side(code[a], code[b]) for a, b in _pairs(result, said)]
    shown_ = [p for p in pairs if p.differences or p.only_in_a or p.only_in_b]
    return code_section(shown_, "record") if shown_ else None


def linked(result: Result, said: Sequence[str]) -> Sentences | None:
    """Sentences, those about the code of two builds with a link to it."""
    known = set(_pairs(result, said))
    items = []
    for text in said:
        pair = _pair_of(result, text)
        items.append(Sentence(text, link=pair_name(*pair) if pair in known and pair else ""))
    return Sentences(tuple(items)) if items else None


def _pairs(result: Result, said: Sequence[str]) -> list[tuple[str, str]]:
    """(baseline, variant) of builds whose code was kept, those of the sentences first."""
    code = {one.variant for one in result.found.code}
    main = result.question.baselines[:1]
    told = [pair for text in said if (pair := _pair_of(result, text)) is not None]
    each = [(b, v.name) for b in main for v in result.question.measured if v.name != b]
    return [p for p in dict.fromkeys([*told, *each]) if p[0] in code and p[1] in code]


def _pair_of(result: Result, text: str) -> tuple[str, str] | None:
    """The two variants that a sentence about machine code names first, the later one as what the
    other is compared with; None for other sentences."""
    if not _ABOUT_CODE.search(text):
        return None
    named = sorted(_named(result, text))
    return (named[1][1], named[0][1]) if len(named) > 1 else None


def _named(result: Result, text: str) -> Iterator[tuple[int, str]]:
    """Where which variants are named; a name that is part of another one is not meant."""
    for variant in result.question.variants:
        found = re.search(rf"(?<![\w-]){re.escape(shown(variant.name))}(?![\w-])", text)
        if found:
            yield found.start(), variant.name


def _side_by_side(a: ProgramCode, b: ProgramCode) -> CodePair:
    from whyfast.explain.code_diff import align, relevance
    from whyfast.model.code_listing import CodePair

    of_a, of_b = ({x.function: x for x in one.listings} for one in (a, b))
    found = [align(of_a[name], of_b[name]) for name in of_a if name in of_b]
    found = sorted((d for d in found if d.changed), key=relevance)
    return CodePair(
        a.variant,
        b.variant,
        tuple(found[:MOST_FUNCTIONS]),
        len(found[MOST_FUNCTIONS:]),
        tuple(sorted(n for n in of_a if n not in of_b)),
        tuple(sorted(n for n in of_b if n not in of_a)),
    )
