"""Functions that differ between two builds, laid side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from whyfast.model.result import Result
from whyfast.report.document import (
    CodeSides,
    CountedSides,
    Group,
    Importance,
    ReportSection,
    Sentence,
    Sentences,
    section,
    sentences,
)
from whyfast.report.formatting import amount_text, pluralize, quote

if TYPE_CHECKING:
    from whyfast.model.code import CodeDifference, CodePair, CodeRow, ProgramCode
    from whyfast.model.why import CountedLine

#: Equal instructions that are shown on either side of what differs.
AROUND = 3
#: Fewer equal instructions than this are not worth a fold.
_LEAST_FOLD = 4
#: Letters of how often something ran; the width from which two sides are beside each other.
_NUMBER, BESIDE = 8, 100


def pair_name(a: str, b: str) -> str:
    """What links to the code of a pair say."""
    return "code-" + re.sub(r"[^\w.-]+", "-", f"{a}--{b}")


def code_section(
    pairs: Sequence[CodePair], importance: Importance = "detail"
) -> ReportSection | None:
    """A group for each pair, a fold for each function."""
    return section("code", "Side by side", *map(_pair, pairs), importance=importance)


def _pair(pair: CodePair) -> Group:
    start = pair_name(pair.a, pair.b)
    sides = [
        CodeSides(f"{start}-{i}", pair.a, pair.b, d, difference_text(d))
        for i, d in enumerate(pair.differences)
    ]
    about = [block for block in (sentences(_about(pair)),) if block]
    return Group(f"{pair.a} → {pair.b}", (*about, *sides), start)


def _about(pair: CodePair) -> Iterator[str]:
    if not pair.differences:
        yield (
            f"No function of both {quote(pair.a)} and {quote(pair.b)} differs in more than "
            "addresses and registers."
        )
    if pair.others:
        yield f"{pluralize(pair.others, 'more function')} differ."
    for name, only in ((pair.a, pair.only_in_a), (pair.b, pair.only_in_b)):
        if only:
            some = ", ".join(only[:6]) + (", …" if only[6:] else "")
            yield f"Only in {quote(name)}: {len(only)} ({some})."


def difference_text(d: CodeDifference) -> str:
    """ "vm_run: 1 → 175 indirect jumps, 1,433 → 2,089 instructions, 91 % of them differ"."""
    a, b = d.jumps
    jumps = f"{a} → {b} indirect jumps, " if a or b else ""
    lengths = f"{len(d.a.lines):,} → {len(d.b.lines):,} instructions"
    share = d.changed / max(len(d.rows), 1)
    return f"{d.function}: {jumps}{lengths}, {share:.0%} of the lines differ"


def folded(rows: Sequence[CodeRow], around: int = AROUND) -> Iterator[tuple[int, int, bool]]:
    """Parts of the rows as (first, the one behind the last, whether they can be folded away):
    equal ones that lie further than ``around`` from any that differ."""
    keep = [False] * len(rows)
    for i, row in enumerate(rows):
        if row.beside not in ("same", "registers"):
            for near in range(max(0, i - around), min(len(rows), i + around + 1)):
                keep[near] = True
    start = 0
    while start < len(rows):
        end = start
        while end < len(rows) and keep[end] == keep[start]:
            end += 1
        yield start, end, not keep[start] and end - start >= _LEAST_FOLD
        start = end


# The machine code of a result, with links from the sentences about it.

#: Functions of one pair that are shown; a tail-call interpreter has one a handler.
MOST_FUNCTIONS = 12
#: What a sentence must speak of to be about the code of two builds.
_ABOUT_CODE = re.compile("indirect jump")


def counted_lines(block: CountedSides, width: int = BESIDE) -> Iterator[str]:
    """A function with how often each instruction ran: both sides beside each other, marked ``!``
    where they differ; in less room one side after the other."""
    rows, unit = block.code.rows, block.code.unit
    if width < BESIDE:
        for name, lines in (
            (block.fast, [row.fast for row in rows]),
            (block.slow, [row.slow for row in rows]),
        ):
            yield f"{'ran':>{_NUMBER}}  {name}"
            yield from (_counted(line, unit, width) for line in lines if line is not None)
        return
    half = (width - 3) // 2
    heads = [f"{'ran':>{_NUMBER}}  {name}"[:half] for name in (block.fast, block.slow)]
    yield f"{heads[0]:<{half}}   {heads[1]}"
    for row in rows:
        if row.skipped:
            yield f"{'⋮':>{_NUMBER}}"
        left, right = (_counted(line, unit, half) for line in (row.fast, row.slow))
        yield f"{left:<{half}} {'!' if row.differs else ' '} {right}".rstrip()


def _counted(line: CountedLine | None, unit: str, width: int) -> str:
    if line is None:
        return ""
    room = width - _NUMBER - 2
    text = line.text if len(line.text) <= room else f"{line.text[: room - 1]}…"
    return f"{amount_text(line.amount, unit):>{_NUMBER}}  {text}"


def result_code_section(result: Result, texts: Sequence[str]) -> ReportSection | None:
    """Each variant beside the main baseline, and the pairs that the answer speaks of."""
    code = {program.variant: program for program in result.found.code}
    pairs = [_side_by_side(code[a], code[b]) for a, b in _pairs(result, texts)]
    return code_section([p for p in pairs if p.differences or p.only_in_a or p.only_in_b], "record")


def linked(result: Result, texts: Sequence[str]) -> Sentences | None:
    """Sentences, those about the code of two builds with a link to it."""
    known = set(_pairs(result, texts))
    items = []
    for text in texts:
        pair = _pair_of(result, text)
        items.append(Sentence(text, link=pair_name(*pair) if pair in known and pair else ""))
    return Sentences(tuple(items)) if items else None


def _pairs(result: Result, texts: Sequence[str]) -> list[tuple[str, str]]:
    """(baseline, variant) of builds whose code was kept, those of the sentences first."""
    code = {program.variant for program in result.found.code}
    main = result.question.baselines[:1]
    named = [pair for text in texts if (pair := _pair_of(result, text)) is not None]
    each = [(b, v.name) for b in main for v in result.question.measured if v.name != b]
    return [p for p in dict.fromkeys([*named, *each]) if p[0] in code and p[1] in code]


def _pair_of(result: Result, text: str) -> tuple[str, str] | None:
    """The two variants that a sentence about machine code names first, the later one as what the
    other is compared with; None for other sentences."""
    if not _ABOUT_CODE.search(text):
        return None
    places = []
    for name in (v.name for v in result.question.variants):
        # A name that is part of another one is not meant.
        if match := re.search(rf"(?<![\w-]){re.escape(quote(name))}(?![\w-])", text):
            places.append((match.start(), name))
    names = [name for _, name in sorted(places)]
    return (names[1], names[0]) if len(names) > 1 else None


def _side_by_side(a: ProgramCode, b: ProgramCode) -> CodePair:
    from whyfast.explain.code_diff import align, relevance
    from whyfast.model.code import CodePair

    in_a, in_b = ({x.function: x for x in program.listings} for program in (a, b))
    aligned = (align(in_a[name], in_b[name]) for name in in_a if name in in_b)
    differences = sorted((d for d in aligned if d.changed), key=relevance)
    return CodePair(
        a.variant,
        b.variant,
        tuple(differences[:MOST_FUNCTIONS]),
        len(differences[MOST_FUNCTIONS:]),
        tuple(sorted(in_a.keys() - in_b)),
        tuple(sorted(in_b.keys() - in_a)),
    )
