"""Several programs side by side: functions that differ, counters, hot functions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from whyfast.model.result import Result
from whyfast.report import document as doc
from whyfast.report import formatting as fmt

if TYPE_CHECKING:
    from whyfast.explain.source_lines import TouchedFunctions
    from whyfast.model.code import CodeDifference, CodePair, CodeRow, ProgramCode
    from whyfast.model.counters import Counter, Counts, HotFunction, Overlap
    from whyfast.model.why import CountedLine

#: Equal instructions that are shown on either side of what differs.
AROUND = 3
#: Fewer equal instructions than this are not worth a fold.
_LEAST_FOLD = 4
#: Letters of how often something ran; the width from which two sides are beside each other.
_NUMBER, BESIDE = 8, 100


def pair_name(a: str, b: str) -> str:
    """The target of links to the code of a pair."""
    return "code-" + re.sub(r"[^\w.-]+", "-", f"{a}--{b}")


def code_section(
    pairs: Sequence[CodePair], importance: doc.Importance = "detail"
) -> doc.ReportSection | None:
    """A group for each pair, a fold for each function."""
    return doc.section("code", "Side by side", *map(_pair, pairs), importance=importance)


def _pair(pair: CodePair) -> doc.Group:
    texts = []
    if not pair.differences:
        both = f"{fmt.quote(pair.a)} and {fmt.quote(pair.b)}"
        texts.append(f"No function of both {both} differs in more than addresses and registers.")
    if pair.others:
        texts.append(f"{fmt.pluralize(pair.others, 'more function')} differ.")
    for name, only in ((pair.a, pair.only_in_a), (pair.b, pair.only_in_b)):
        if only:
            texts.append(f"Only in {fmt.quote(name)}: {len(only)} ({fmt.join(only, 6)}).")
    start, about = pair_name(pair.a, pair.b), [block for block in [doc.sentences(texts)] if block]
    sides = [
        doc.CodeSides(f"{start}-{i}", pair.a, pair.b, d, _difference(d))
        for i, d in enumerate(pair.differences)
    ]
    return doc.Group(f"{pair.a} → {pair.b}", (*about, *sides), start)


def _difference(d: CodeDifference) -> str:
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
    for kept, part in groupby(keep):
        end = start + len([*part])
        yield start, end, not kept and end - start >= _LEAST_FOLD
        start = end


# The machine code of a result, with links from the sentences about it.

#: Functions of one pair that are shown; a tail-call interpreter has one for each handler.
MOST_FUNCTIONS = 12
#: A sentence about the code of two builds matches this.
_ABOUT_CODE = re.compile("indirect jump")


def counted_lines(block: doc.CountedSides, width: int = BESIDE) -> Iterator[str]:
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
    return f"{fmt.amount_text(line.amount, unit):>{_NUMBER}}  {text}"


def result_code_section(result: Result, texts: Sequence[str]) -> doc.ReportSection | None:
    """Each variant beside the main baseline, and the pairs that the answer names."""
    code = {program.variant: program for program in result.found.code}
    pairs = [_side_by_side(code[a], code[b]) for a, b in _pairs(result, texts)]
    return code_section([p for p in pairs if p.differences or p.only_in_a or p.only_in_b], "record")


def linked(result: Result, texts: Sequence[str]) -> doc.Sentences | None:
    """Sentences, those about the code of two builds with a link to it."""
    links = {pair: pair_name(*pair) for pair in _pairs(result, texts)}
    pairs = ((text, _pair_of(result, text)) for text in texts)
    items = tuple(
        doc.Sentence(text, link=links.get(pair, "") if pair else "") for text, pair in pairs
    )
    return doc.Sentences(items) if items else None


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
        if match := re.search(rf"(?<![\w-]){re.escape(fmt.quote(name))}(?![\w-])", text):
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


# Counters and hot functions.

#: Touched functions that are named.
_FUNCTIONS = 8


def counter_tables(programs: Sequence[Counts]) -> list[doc.Table]:
    """One table a source: what was measured is never in a table with what was simulated."""
    tables = []
    for source in ("measured", "simulated"):
        counters = [{c.name: c for c in p.counters if c.source == source} for p in programs]
        tools = dict.fromkeys(c.tool for by_name in counters for c in by_name.values())
        if source == "measured":
            tools |= {"user space": None}
        names = dict.fromkeys(name for by_name in counters for name in by_name)
        every = ((name, [by_name.get(name) for by_name in counters]) for name in names)
        cells = [
            (name, *(_count(c, row[0]) for c in row))
            for name, row in every
            if any(c and c.value is not None for c in row)
        ]
        columns = ("event", *doc.right(*(p.variant for p in programs)))
        tables.append(doc.table(source_text(source, tools), columns, cells))
    return [t for t in tables if t is not None]


def source_text(source: str, tools: Iterable[str]) -> str:
    """How something was counted, for captions."""
    how = "Counted by the hardware" if source == "measured" else "Simulated, not measured"
    return f"{how} ({', '.join(tools)})"


def share_cell(share: float, *, per_cycle: bool = False) -> doc.Cell:
    """One event in another: ``1.23`` per cycle, else ``4.5 %``."""
    percent = f"{share * 100:.1f} %" if share >= 0.01 or not share else f"{share * 100:.2g} %"
    return doc.Cell(f"{share:.2f}" if per_cycle else percent, number=share)


def hot_table(
    functions: Sequence[HotFunction], variants: Sequence[str], *, event: str, source: str, tool: str
) -> doc.Table | None:
    """Each hot function's share of every program; the largest difference in cost first. ``event``
    is the main one of the profiles, which are of that ``source`` and by ``tool``."""
    event = {"Ir": "instructions", "samples": "samples of time"}.get(event, event)
    rows = [(doc.Cell(f.name, f.object), *map(_share, f.shares, f.costs)) for f in functions]
    order = ", largest difference first" if len(variants) > 1 else ""
    caption = f"Hot functions: share of {event} without callees{order} ({source}, {tool})"
    return doc.table(caption, ("function", *doc.right(*variants)), rows)


def place_tables(
    functions: Sequence[HotFunction], programs: Sequence[Counts]
) -> Iterator[doc.Table | None]:
    """Where the hot functions of each program lie."""
    numbers = doc.right("address", "bytes", "lines", "pages", "L1i sets", "crowded sets")
    for i, program in enumerate(programs):
        rows: list[doc.Row] = [
            (
                *(f.name, p.section, doc.Cell(f"{p.address:#x}", number=p.address)),
                *(doc.number_cell(n) for n in (p.size, p.lines, p.pages, p.sets, p.crowded)),
            )
            for f in functions
            if (p := f.places[i])
        ]
        yield doc.table(f"Addresses in {program.variant}", ("function", "section", *numbers), rows)


def overlap_sentences(overlaps: Sequence[Overlap]) -> list[str]:
    """What each program's hot code needs of the L1 instruction cache, whole functions counted."""
    texts = []
    for o in (o for o in overlaps if o.functions):
        verb = "spans" if o.functions == 1 else "span"
        span = f"{fmt.pluralize(o.functions, 'hot function')} {verb}"
        crowded = f", and {o.crowded} of {o.sets} sets have too many" if o.crowded else ""
        texts.append(
            f"{o.variant}: {span} {o.lines:,} lines on {fmt.pluralize(o.pages, 'page')} (the L1 "
            f"instruction cache holds {o.capacity:,}); up to {o.fullest} fall on one set "
            f"of {o.ways} ways{crowded}"
        )
    return texts


def counts_section(
    programs: Sequence[Counts],
    functions: Sequence[HotFunction],
    overlaps: Sequence[Overlap],
    touched: TouchedFunctions | None = None,
) -> doc.ReportSection | None:
    """Everything that was counted, what could not be, and whether commits touch what is hot."""
    names = [p.variant for p in programs]
    profiles = [p.profile for p in programs if p.profile]
    # Each note once, with the programs that it is about unless they are all.
    notes = fmt.grouped((text, p.variant) for p in programs for text in p.notes)
    texts = overlap_sentences(overlaps)
    texts += (x if len(of) == len(names) else f"{', '.join(of)}: {x}" for x, of in notes.items())
    alike = len({p.main for p in profiles}) == 1 and len(profiles) == len(names)
    if profiles and not functions and not alike:
        texts.append("The profiles are of different kinds, so functions are not compared.")
    if touched is not None:
        own = [f.name for f in functions if not f.object]
        about = touched.statement(own) if own else "the hot functions are unknown"
        which = fmt.join([f.name for f in touched.functions], _FUNCTIONS) or "none"
        texts.append(f"{touched.base}..{touched.head}: {about}; functions touched: {which}")
    hot = [
        hot_table(functions, names, event=profile.main, source=profile.source, tool=profile.tool)
        for profile in profiles[:1]
    ]
    places = place_tables(functions, programs)
    tables = (*counter_tables(programs), *hot, *places)
    return doc.section("counts", "Counted work", *tables, doc.sentences(texts))


def _count(counter: Counter | None, first: Counter | None) -> doc.Cell | None:
    if counter is None:
        return None
    if counter.value is None:
        return doc.Cell("unavailable", counter.note)
    value = counter.value
    if counter.unit != "events":
        return share_cell(value, per_cycle=counter.unit == "per cycle")
    ratio = ""
    if first is not None and first is not counter and first.value and value:
        ratio = f"{value / first.value:.3f}x"
    return doc.Cell(f"{value:,.0f}", ratio, number=value)


def _share(share: float | None, cost: float | None) -> doc.Cell | None:
    if share is None or cost is None:
        return None
    return doc.Cell(f"{share * 100:.1f} %", f"{cost:,.0f}", number=share)
