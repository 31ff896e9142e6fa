"""Counts of the builds of a study for the same work: totals, differences, and sentences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from whyfast.model.result import Result
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections import side_by_side
from whyfast.report.sections.main_table import decided

if TYPE_CHECKING:
    from whyfast.model.counters import ChangedFunctions, CodePlace, Counted, Source

#: Smaller differences, relative to the baseline's count, get no list of functions.
_SMALL = 0.001
#: Functions that are named for one difference, whose places are shown, and that a change touches.
_NAMED, _PLACED, _TOUCHED = 3, 12, 6
#: Relative difference of two counts below which they are called as many.
_ALIKE = 0.005
#: Share of a change that one function must make to be named as its place.
_MOST_OF_IT = 0.5

#: Title, event, the event that it is a share of (empty: the count itself).
_COLUMNS: dict[Source, tuple[tuple[str, str, str], ...]] = {
    "measured": (
        ("instructions", "instructions", ""),
        ("cycles", "cycles", ""),
        ("per cycle", "instructions", "cycles"),
        ("branch misses", "branch-misses", ""),
        ("L1i misses", "L1-icache-load-misses", ""),
        ("iTLB misses", "iTLB-load-misses", ""),
    ),
    "simulated": (
        ("instructions", "instructions", ""),
        ("branches mispredicted", "branch-misses", ""),
        ("indirect ones mispredicted", "indirect branch misses", "indirect branches"),
        ("L1i misses", "L1i misses", ""),
        ("L1d misses", "L1d misses", ""),
    ),
}


@dataclass(frozen=True)
class CountTotals:
    """Sums over ``benchmarks``, in each of which every build with any counts was counted.
    ``sums[variant][event]``; an event that is unavailable in one of them is left out. ``left_out``
    are the benchmarks that some build has no counts of."""

    source: Source
    tools: tuple[str, ...]
    benchmarks: tuple[str, ...]
    left_out: tuple[str, ...]
    sums: Mapping[str, Mapping[str, float]]

    def ratio(self, event: str, variant: str, baseline: str) -> float | None:
        """Of the variant over the baseline; None where either is not known, or the baseline 0."""
        a, b = (self.sums.get(name, {}).get(event) for name in (variant, baseline))
        return a / b if a is not None and b else None

    def share(self, above: str, below: str, variant: str) -> float | None:
        """One event in another, from 0 to 1."""
        a, b = (self.sums.get(variant, {}).get(event) for event in (above, below))
        return a / b if a is not None and b else None


def totals(counted: Sequence[Counted], source: Source) -> CountTotals | None:
    """None when nothing was counted that way."""
    values: dict[str, dict[str, dict[str, float]]] = {}
    tools: dict[str, None] = {}
    for work in counted:
        values[work.benchmark] = {}
        for counts in work.counts:
            mine = [c for c in counts.counters if c.source == source]
            events = {c.name: c.value for c in mine if c.unit == "events" and c.value is not None}
            if events:
                values[work.benchmark][counts.variant] = events
                tools.update((c.tool, None) for c in mine)
    variants = dict.fromkeys(v for by_variant in values.values() for v in by_variant)
    whole = tuple(name for name, by_variant in values.items() if len(by_variant) == len(variants))
    if not variants or not whole:
        return None
    sums = {}
    for variant in variants:
        first, *rest = (values[name][variant] for name in whole)
        shared = [event for event in first if all(event in events for events in rest)]
        sums[variant] = {x: first[x] + sum(events[x] for events in rest) for x in shared}
    left_out = tuple(name for name in values if name not in whole)
    return CountTotals(source, tuple(tools), whole, left_out, sums)


def function_changes(
    counted: Sequence[Counted], benchmarks: Sequence[str], variant: str, baseline: str, what: str
) -> list[tuple[str, float]]:
    """(function, how much more the variant has of it), the largest change first. ``what`` is
    ``costs`` or ``misses``. Only functions that are hot in some build."""
    changes: defaultdict[str, float] = defaultdict(float)
    for work in counted:
        if work.benchmark not in benchmarks or not {variant, baseline} <= set(work.profiled):
            continue
        i, j = work.profiled.index(variant), work.profiled.index(baseline)
        for function in work.hot:
            values = function.costs if what == "costs" else function.misses
            if values:
                name = f"{function.name} ({function.object})" if function.object else function.name
                changes[name] += (values[i] or 0.0) - (values[j] or 0.0)
    ordered = sorted(changes.items(), key=lambda item: (-abs(item[1]), item[0]))
    return [(name, change) for name, change in ordered if change]


def count_groups(result: Result) -> Iterator[doc.Block | None]:
    """Each benchmark with its hot functions, and where these lie."""
    for work in result.found.counted:
        name, kind = fmt.quote(work.benchmark), {"source": work.source, "tool": work.tool}
        hot = side_by_side.hot_table(work.hot, work.profiled, event=work.event, **kind)
        tables = [(f", {work.work}", t) for t in side_by_side.counter_tables(work.counts)]
        tables += [("", hot)] if hot else []
        titled = (replace(t, caption=f"{name}{of}: {t.caption}") for of, t in tables)
        yield doc.group(f"Counted: {name}", *titled)
    yield places_table(result.found.counted)


def count_tables(result: Result) -> tuple[doc.Table, ...]:
    """What every build did in all benchmarks together, measured and simulated apart; and in which
    functions the builds differ from the main baseline."""
    tables = (*(_totals_table(result, source) for source in _COLUMNS), where_table(result))
    return tuple(t for t in tables if t is not None)


def _totals_table(result: Result, source: Source) -> doc.Table | None:
    total, main = totals(result.found.counted, source), result.question.baselines[0]
    if total is None:
        return None
    wanted = [
        (title, event, below)
        for title, event, below in _COLUMNS[source]
        if any({event, below or event} <= set(events) for events in total.sums.values())
        and any(events.get(event) for events in total.sums.values())
    ]

    def cell(event: str, below: str, name: str) -> doc.Cell | None:
        if below:
            share = total.share(event, below, name)
            return (
                None
                if share is None
                else side_by_side.share_cell(share, per_cycle=below == "cycles")
            )
        value, ratio = total.sums[name].get(event), total.ratio(event, name, main)
        if value is None:
            return doc.Cell("unavailable")
        detail = "" if ratio is None or name == main else f"{ratio:.3f}x"
        return doc.Cell(fmt.amount(value), detail, number=value)

    rows = [
        (name, *(cell(event, below, name) for _, event, below in wanted))
        for name in _in_order(result, total.sums)
    ]
    names, others = total.benchmarks, len(total.left_out)
    work = fmt.quote(names[0]) if len(names) == 1 else fmt.pluralize(len(names), "benchmark")
    how = side_by_side.source_text(source, total.tools)
    caption = f"{how}: the same work of {work} in each build"
    if others:
        caption += f", without {fmt.pluralize(others, 'benchmark')} not counted everywhere"
    columns = ("variant", *doc.right(*(title for title, _, _ in wanted)))
    return doc.table(caption, columns, rows if wanted else ())


def where_table(result: Result) -> doc.Table | None:
    """In which functions each build executes and mispredicts more or less than the main baseline;
    None when no functions are known, or nothing differs."""
    main = result.question.baselines[0]
    source = next((c.source for c in result.found.counted if c.hot), None)
    total = totals(result.found.counted, source) if source else None
    if total is None or main not in total.sums:
        return None

    def where(name: str, what: str, event: str) -> doc.Cell | None:
        value, base = (total.sums[n].get(event) for n in (name, main))
        if value is None or not base or abs(value - base) < _SMALL * base:
            return None
        changes = function_changes(result.found.counted, total.benchmarks, name, main, what)
        texts = [f"{f} {fmt.amount(change, sign=True)}" for f, change in changes[:_NAMED]]
        if rest := changes[_NAMED:]:
            more = fmt.amount(sum(change for _, change in rest), sign=True)
            texts.append(f"{fmt.pluralize(len(rest), 'other')} {more}")
        detail = f"in {', '.join(texts)}" if texts else ""
        return doc.Cell(fmt.amount(value - base, sign=True), detail, number=value - base)

    rows = []
    for name in (name for name in _in_order(result, total.sums) if name != main):
        cells = where(name, "costs", "instructions"), where(name, "misses", "branch-misses")
        rows += [(name, *cells)] if any(cells) else []
    caption = f"Differences from {fmt.quote(main)} by hot function, largest change first"
    columns = ("variant", "instructions", "mispredicted branches")
    return doc.table(f"{caption} ({source})", columns, rows)


def places_table(counted: Sequence[Counted]) -> doc.Table | None:
    """Address of each hot function in each build, its lines and sets of the L1 instruction cache,
    and how many of these sets hold more hot lines than they have ways."""
    places: dict[str, dict[str, CodePlace | None]] = {}
    for work in counted:
        for function in work.hot:
            if not function.object and any(function.places):
                by_variant = dict(zip(work.profiled, function.places, strict=True))
                places.setdefault(function.name, by_variant)
    variants = list(dict.fromkeys(v for by_variant in places.values() for v in by_variant))

    def cell(place: CodePlace | None) -> doc.Cell | None:
        if place is None:
            return None
        crowded = f", {place.crowded} crowded" if place.crowded else ""
        lines = f"{fmt.pluralize(place.lines, 'line')} on {fmt.pluralize(place.pages, 'page')}"
        detail = f"{lines}, {fmt.pluralize(place.sets, 'set')}{crowded}"
        return doc.Cell(f"{place.address:#x}", detail, number=place.address)

    rows = [
        (name, *(cell(by_variant.get(v)) for v in variants))
        for name, by_variant in list(places.items())[:_PLACED]
    ]
    return doc.table("Addresses of the hot functions", ("function", *variants), rows)


def counted_notes(result: Result) -> tuple[str, ...]:
    """What the hot code of each build needs of the instruction cache, in the benchmark where it is
    most; and what there is to know about the counts, each note once."""
    works = result.found.counted
    overlaps = fmt.grouped((o.variant, o) for work in works for o in work.overlaps)
    largest = [max(mine, key=lambda o: o.lines) for mine in overlaps.values()]
    counts = (c for work in works for c in work.counts if not c.failed)
    return (
        *side_by_side.overlap_sentences(largest),
        *dict.fromkeys(note for c in counts for note in c.notes),
    )


def _in_order(result: Result, names: Collection[str]) -> list[str]:
    return [v.name for v in result.question.variants if v.name in names]


def counted_sentences(result: Result) -> list[str]:
    """What goes with the largest difference and with the claim; what could not be counted."""
    study, counted = result.question, result.found.counted
    total, main = totals(counted, "measured") or totals(counted, "simulated"), study.baselines[0]
    others = (v.name for v in study.measured if v.name != main and not v.control_of)
    verdicts = decided(result.judged.overall(name, main) for name in others)
    # The claim, the largest difference, then the slowest variant.
    slowest = [v for v in verdicts if v.outcome == "slower"]
    pairs = [(study.claim.variant, study.claim.baseline)] if study.claim else []
    pairs += [(v.variant, main) for v in verdicts[:1] + slowest[:1]]
    texts = [_pair(total, counted, *pair) for pair in dict.fromkeys(pairs)] if total else []
    return [*filter(None, texts), *_failures(counted)]


def changed_sentences(changed: Sequence[ChangedFunctions]) -> Iterator[str]:
    """Whether commits touch hot functions, as a fact, and what they touch."""
    for c in changed:
        names = fmt.join(c.functions[:_TOUCHED]) or "no function of the program"
        if c.functions[_TOUCHED:]:
            names = f"{len(c.functions)} functions, among them {names}"
        yield fmt.sentence(f"From {c.base} to {c.head}, {c.statement}; it touches {names}")


def _pair(
    total: CountTotals, counted: Sequence[Counted], variant: str, baseline: str
) -> str | None:
    executed = total.ratio("instructions", variant, baseline)
    if executed is None:
        return None
    how = "Counted apart from the timed runs" if total.source == "measured" else "In simulation"
    alike = abs(executed - 1) < _ALIKE
    many = "as many instructions as" if alike else f"{executed:.2f}x the instructions of"
    text = f"{how}, {fmt.quote(variant)} executes {many} {fmt.quote(baseline)}"
    indirect = ("indirect branch misses", "indirect branches")
    mine, theirs = (total.share(*indirect, name) for name in (variant, baseline))
    missed = total.ratio("branch-misses", variant, baseline)
    if mine is not None and theirs is not None:
        share, other = f"{mine * 100:.1f} %", f"{theirs * 100:.1f} %"
        where = (
            "as that does" if share == other else f"where {fmt.quote(baseline)} mispredicts {other}"
        )
        text += f" and mispredicts {share} of its indirect branches, {where}"
    elif missed is not None:
        text += f" and mispredicts {missed:.2f}x as many branches"
    return f"{text}{_place(total, counted, variant, baseline)}."


def _place(total: CountTotals, counted: Sequence[Counted], variant: str, baseline: str) -> str:
    """Which function has most of the further mispredictions, if one has."""
    mine, theirs = (total.sums[name].get("branch-misses") for name in (variant, baseline))
    if mine is None or not theirs or abs(mine - theirs) < _ALIKE * theirs:
        return ""
    changes = function_changes(counted, total.benchmarks, variant, baseline, "misses")
    name, change = changes[0] if changes else ("", 0.0)
    share = change / (mine - theirs)
    if not _MOST_OF_IT <= share <= 1 / _MOST_OF_IT:
        return ""
    kind = "further" if mine > theirs else "spared"
    return f"; of all {kind} mispredictions {min(share, 1.0) * 100:.0f} % are in {name}"


def _failures(counted: Sequence[Counted]) -> Iterator[str]:
    every = [(work.benchmark, counts) for work in counted for counts in work.counts]
    reasons = fmt.grouped(
        (c.notes[0] if c.notes else "unknown reason", (benchmark, c.variant))
        for benchmark, c in every
        if c.failed
    )
    for why, pairs in reasons.items():
        benchmarks, variants = (fmt.quoted(dict.fromkeys(x)) for x in zip(*pairs, strict=True))
        where = f"Not counted: {variants} in {benchmarks}"
        yield fmt.sentence(f"{'No counts' if len(pairs) == len(every) else where}: {why}")
