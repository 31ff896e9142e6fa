"""Statements and functions in loops: what one takes and does, its bytecode side by side; ways to do
the same: which is the cheapest, and what it gains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import takewhile

from whyfast.judge.lines import WayCost, way_costs
from whyfast.model.build import Build
from whyfast.model.evidence import BytecodeLine, Listing, LoopFacts
from whyfast.model.result import Result
from whyfast.model.study import Study, Ways
from whyfast.model.verdict import LoopTime
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections.main_table import decided, tally, verdict_cell

#: Seconds of a unit of ``python -m timeit``, and how it is written.
UNITS = {"nsec": (1e-9, "ns"), "usec": (1e-6, "µs"), "msec": (1e-3, "ms"), "sec": (1.0, "s")}

#: The most calls that a cell names, and the most sides whose bytecode stands side by side.
_MOST_CALLS, _MOST_SIDES = 4, 3

#: The least confidence of an interval that is shown.
_SURE = 0.95

#: Peaks of memory that differ by less than this (bytes) are not worth a sentence.
_WORTH_NAMING = 256


def alone(result: Result) -> bool:
    """Whether a single statement was measured, against itself."""
    loops = result.found.loops
    return len(loops) == 2 and loops[1].variant == f"{loops[0].variant} (again)"


def loop_headline(result: Result) -> str:
    """Of a single statement how long it takes; empty where sides are compared."""
    first = result.found.loops[0] if alone(result) else None
    if first is None or first.time is None:
        return ""
    t = first.time
    takes = f"{fmt.quote(first.variant)} takes {_time(t.seconds, first)} a loop"
    if t.confidence < _SURE:
        return f"{takes}, of too few blocks for an interval."
    return f"{takes} {_interval(t, first)}, {fmt.percent(t.confidence)} over processes."


def loop_table(result: Result) -> doc.Table | None:
    """What a loop of each side takes, with the interval of its median over processes."""
    main = result.question.baselines[0]
    rows: list[doc.Row] = []
    for f in result.found.loops:
        if (t := f.time) is not None:
            verdict = result.judged.overall(f.variant, main)
            time = doc.Cell(_time(t.seconds, f), number=t.seconds), _interval(t, f)
            against = verdict_cell(verdict) if verdict else None
            beside = "baseline" if f.variant == main else against
            rows.append((f.variant, *time, beside, t.blocks))
    columns = ("variant", *doc.right("a loop", "interval", f"against {main}", "blocks"))
    return doc.table("Time of a loop, the median over processes", columns, rows)


def _interval(time: LoopTime, facts: LoopFacts) -> str:
    """That of the median; of few blocks even their whole range would be too sure of itself."""
    if time.confidence < _SURE:
        return "too few blocks"
    return f"[{_time(time.low, facts)}, {_time(time.high, facts)}]"


def _time(seconds: float, facts: LoopFacts) -> str:
    if facts.unit not in UNITS:
        return fmt.seconds(seconds)
    size, name = UNITS[facts.unit]
    number = seconds / size
    return f"{number:,.0f} {name}" if number >= 100 else f"{number:.3g} {name}"


def loop_findings(result: Result) -> Iterator[str]:
    """What can explain the largest difference from the first side, and what was subtracted."""
    loops = result.found.loops
    if not loops:
        return
    if not alone(result) and len(loops) > 1:
        overall, first, sides = result.judged.overall, loops[0], {f.variant: f for f in loops}
        furthest = decided(overall(f.variant, first.variant) for f in loops[1:])[:1]
        other = sides[furthest[0].variant] if furthest else loops[1]
        yield from _why(first, other)
        if furthest:
            pair = (first, other)
            yield from _same_bytecode(*(pair if furthest[0].outcome == "slower" else pair[::-1]))
    yield overhead_sentence(loops)


def overhead_sentence(loops: Sequence[LoopFacts]) -> str:
    """What the loop itself costs, and whether that is part of the times."""
    least, most = min(f.empty for f in loops), max(f.empty for f in loops)
    cost = fmt.seconds(least)
    if most > 1.2 * least:
        cost += f" to {fmt.seconds(most)}"
    if all(f.subtracted for f in loops):
        return f"What the loop itself takes, {cost}, is subtracted in every turn."
    return f"Times include what the loop itself takes, {cost}."


def _why(a: LoopFacts, b: LoopFacts) -> Iterator[str]:
    """Calls, exceptions, bytecode and memory, as far as they differ."""
    first, second = fmt.quote(a.variant), fmt.quote(b.variant)
    if _called(a) != _called(b):
        yield f"{first} {_calls_text(a)}; {second} {_calls_text(b)}."
    if a.raised != b.raised:
        raised = [f"raises {fmt.join(f.raised) or 'nothing'}" for f in (a, b)]
        yield f"{first} {raised[0]}; {second} {raised[1]}."
    counts = [len(_run(f)) for f in (a, b)]
    if counts[0] != counts[1] and a.python == b.python and _each_runs_once(a, b):
        yield f"{first} is {counts[0]} instructions of bytecode, {second} {counts[1]}."
    peaks = sorted(((f.peak, f.variant) for f in (a, b) if f.peak is not None), reverse=True)
    if len(peaks) == 2 and peaks[0][0] - peaks[1][0] >= _WORTH_NAMING:
        (most, more), (least, less) = peaks
        yield (
            f"{fmt.quote(more)} allocates up to {fmt.size(most)} in a loop, "
            f"{fmt.quote(less)} {fmt.size(least)}."
        )


def _each_runs_once(*sides: LoopFacts) -> bool:
    """Whether what runs is the instructions listed: no loop, branch or handler, and no function."""
    return all(
        f.code
        and len(_run(f)) == len(f.code[0].instructions)
        and not any("JUMP" in i.name or i.name == "FOR_ITER" for i in _run(f))
        and not any(c.language == "Python" for c in f.calls)
        for f in sides
    )


#: Instructions whose argument is a name, a value or a place, and not what they do.
_ON_OBJECTS = ("LOAD_", "STORE_", "DELETE_", "IMPORT_", "KW_NAMES", "JUMP_", "POP_JUMP", "FOR_ITER")


def _same_bytecode(a: LoopFacts, b: LoopFacts) -> Iterator[str]:
    """Of the same calls and instructions (the faster side first) the one that differs, if any."""
    pairs = list(zip(_run(a), _run(b), strict=False))
    alike = len(_run(a)) == len(_run(b)) and all(i.name == j.name for i, j in pairs)
    done = [(_called(f), f.raised, f.python) for f in (a, b)]
    if not pairs or not alike or done[0] != done[1]:
        return
    for i, j in pairs:
        if i.specialised and i.specialised != j.specialised:  # else it is no reason
            ways = [f"as {k.specialised}" if k.specialised else "unspecialised" for k in (i, j)]
            ways[0] = f"{i.name} {ways[0]}"
        elif i.argument != j.argument and not i.name.startswith(_ON_OBJECTS):
            ways = [f"{k.name} {k.argument}".strip() for k in (i, j)]
        else:
            continue
        yield f"{fmt.quote(a.variant)} runs {ways[0]}, {fmt.quote(b.variant)} {ways[1]}."
        return
    yield "Both are the same bytecode: the difference is in the objects that they work on."


def _called(facts: LoopFacts) -> list[tuple[str, str, float]]:
    return sorted((c.language, c.name, c.number) for c in facts.calls)


def _calls_text(facts: LoopFacts) -> str:
    calls = [f"{c.name} {c.number:.4g} times" if c.number != 1 else c.name for c in facts.calls]
    if calls:
        return f"calls {fmt.join(calls, _MOST_CALLS)}"
    if any(i.name.startswith("CALL") for i in _run(facts)):
        return "calls only types or objects, which a profiler does not see"
    return "calls nothing"


def _run(facts: LoopFacts) -> list[BytecodeLine]:
    """The instructions without those of exception handlers, which stand behind the others."""
    code = facts.code[0].instructions if facts.code else ()
    return list(takewhile(lambda i: i.name != "PUSH_EXC_INFO", code))


def loop_section(result: Result) -> doc.ReportSection | None:
    """What a loop of each side does, a row each."""
    loops = result.found.loops[:1] if alone(result) else result.found.loops
    if not loops:
        return None
    sums = (sum(bool(i.specialised) for i in f.code[0].instructions) for f in loops if f.code)
    specialised = [(next(sums) or "none") if f.code else None for f in loops]
    rows: list[doc.Row] = [
        ("interpreter", *(f.python for f in loops)),
        ("what it returns", *(f.value or "nothing" for f in loops)),
        ("instructions of bytecode", *(len(_run(f)) or None for f in loops)),
        ("of these specialised", *specialised),
        ("calls into C", *(_cell_of_calls(f, "C") for f in loops)),
        ("calls of Python functions", *(_cell_of_calls(f, "Python") for f in loops)),
        ("exceptions", *(", ".join(f.raised) or "none" for f in loops)),
        ("peak memory", *(None if f.peak is None else fmt.size(f.peak) for f in loops)),
        ("memory blocks left", *(None if f.left is None else f"{f.left:.3g}" for f in loops)),
        ("garbage collections", *(_collections(f) for f in loops)),
        ("an empty loop", *(fmt.seconds(f.empty) for f in loops)),
    ]
    texts = [overhead_sentence(loops)]
    if any(f.collections for f in loops):
        texts.append(
            "The garbage collector is off while loops are timed, as in timeit; the row says how "
            "often it would run. `gc.enable()` in the setup turns it on."
        )
    shown = doc.table("In a separate run, not timed", ("", *(f.variant for f in loops)), rows)
    return doc.section("loops", "What a loop does", shown, doc.sentences(texts, aside=True))


def _cell_of_calls(facts: LoopFacts, language: str) -> str:
    mine = [c for c in facts.calls if c.language == language]
    named = [f"{c.name} ×{c.number:.4g}" if c.number != 1 else c.name for c in mine]
    more = [f"{len(named) - _MOST_CALLS} more"] if len(named) > _MOST_CALLS else []
    return ", ".join([*named[:_MOST_CALLS], *more]) or "none"


def _collections(facts: LoopFacts) -> str | None:
    if facts.collections is None:
        return None
    return f"one in {1 / facts.collections:.3g} loops" if facts.collections else "none"


# Bytecode.


def bytecode_section(result: Result) -> doc.ReportSection | None:
    """The bytecode of the sides beside each other, and of the Python functions that they call."""
    loops = result.found.loops[:1] if alone(result) else result.found.loops[:_MOST_SIDES]
    sides = [f for f in loops if f.code]
    if not sides:
        return None
    called = fmt.grouped((c.name, (f.variant, c)) for f in sides for c in f.code[1:])
    specialised = any(i.specialised for f in sides for c in f.code for i in c.instructions)
    arrow = (
        "In each row the instruction as compiled, and behind the arrow what the interpreter put in "
        "its place once it was warm."
    )
    return doc.detail(
        "bytecode",
        "Bytecode side by side",
        _side_by_side("Bytecode", [(f.variant, f.code[0]) for f in sides]),
        doc.group(
            "Python functions that it calls", *(_side_by_side(*each) for each in called.items())
        ),
        doc.note(arrow) if specialised else None,
    )


def _side_by_side(title: str, sides: Sequence[tuple[str, Listing]]) -> doc.Table | None:
    """A row for each instruction of the first side, the others' aligned with it by their names."""
    (_, first), *others = sides
    rows = [[_line(i)] for i in first.instructions]
    for number, (_, other) in enumerate(others, 1):
        names, own = [row[0].partition(" ")[0] for row in rows], other.instructions
        matcher = SequenceMatcher(None, names, [i.name for i in own], autojunk=False)
        known, rows, gap = rows, [], [""] * number
        for _, a, b, c, d in matcher.get_opcodes():
            for k in range(max(b - a, d - c)):
                line = _line(own[c + k]) if c + k < d else ""
                rows.append([*(known[a + k] if a + k < b else gap), line])
    return doc.table(title, [variant for variant, _ in sides], rows, fixed=0)


def _line(instruction: BytecodeLine) -> str:
    text = f"{instruction.name} {instruction.argument}".strip()
    return f"{text} → {instruction.specialised}" if instruction.specialised else text


# Ways to do the same: which is the cheapest and what it gains, what the others gain on the first in
# each variant, and what the variants gained or lost otherwise.


#: The most benchmarks that a sentence names.
_NAMED = 3

Costs = Mapping[tuple[str, str], WayCost]


def way_sentences(result: Result) -> Iterator[str]:
    """The cheapest way in the last variant first, and what it gains there; where the last variant
    lost; then what each way gains on the first way of the same variant, and what the first gained
    from variant to variant."""
    known = _known(result)
    for ways, costs in known:
        yield from _cheapest(ways, costs, _variants(result))
    measured = {v for _, costs in known for _, v in costs}
    for last in [v for v in _variants(result) if v in measured][-1:]:
        yield from _losses(result, last)
    for ways, costs in known:
        yield from _gains(ways, costs, _variants(result))


def _known(result: Result) -> list[tuple[Ways, Costs]]:
    """What was measured of the ways of a study."""
    if not isinstance(result.question, Study):
        return []
    blocks, variants = result.recorded.blocks, _variants(result)
    every = [(ways, way_costs(ways, blocks, variants)) for ways in result.question.ways]
    return [(ways, costs) for ways, costs in every if costs]


def _variants(result: Result) -> list[str]:
    return [v.name for v in result.question.measured if not v.control_of]


def _cheapest(ways: Ways, costs: Costs, variants: Sequence[str]) -> Iterator[str]:
    """In the last variant that has two ways or more."""
    here: list[WayCost] = []
    for variant in reversed(variants):
        here = [c for c in costs.values() if c.variant == variant]
        if len(here) > 1:
            break
    else:
        return
    best, *others = sorted(here, key=lambda c: c.time.seconds)
    text = f"{ways.what} is cheapest by {best.way} on {fmt.quote(best.variant)}: {_way_time(best)}"
    first = next(iter(ways.benchmarks))
    old = costs.get((first, best.variant))
    if old and (gain := _way_gain(best)):
        text += f", {gain} than by {first} there ({_way_seconds(old)})"
    before = next((costs[first, v] for v in variants if (first, v) in costs), best)
    if before.variant != best.variant:
        text += f"; on {fmt.quote(before.variant)} {first} took {_way_seconds(before)}"
    tied = [f"{c.way} ({_way_seconds(c)})" for c in others if c.time.low <= best.time.high]
    yield f"{text}{'; not certainly less than by ' if tied else ''}{fmt.join(tied)}."


def _way_gain(cost: WayCost) -> str:
    """``2.9x faster [2.8, 3.1]``; empty where there is nothing to hold it against."""
    if cost.gain is None:
        return ""
    return str(fmt.ratio_text(1 / cost.gain, 1 / cost.high, 1 / cost.low))


def _gains(ways: Ways, costs: Costs, variants: Sequence[str]) -> Iterator[str]:
    """What each way gains alone, and what the first one gained with the variants."""
    first, *others = ways.benchmarks
    for way in others:
        found = [(v, costs[way, v]) for v in variants if (way, v) in costs]
        gains = [f"{gain} on {fmt.quote(v)}" for v, c in found if (gain := _way_gain(c))]
        if gains:
            yield f"Against {first} on the same variant, {way} alone is {fmt.join(gains)}."
    known = [v for v in variants if (first, v) in costs]
    if len(known) > 1:
        times = [f"{_way_time(costs[first, v])} on {fmt.quote(v)}" for v in known]
        yield f"What changed otherwise: {first} takes {fmt.join(times)}."


def _losses(result: Result, last: str) -> Iterator[str]:
    """Where that variant is slower than a baseline, and whether their builds may explain it."""
    for before in result.question.baselines:
        each = [
            v
            for v in result.judged.verdicts
            if (v.variant, v.baseline) == (last, before) and v.benchmark
        ]
        slower = [v for v in decided(each) if v.outcome == "slower"]
        overall = result.judged.overall(last, before)
        if not slower:
            continue
        on = f" on {len(slower)} of {fmt.pluralize(len(each), 'benchmark')}"
        if overall is not None and overall.outcome == "slower":
            on = f": {tally(each)} of {fmt.pluralize(len(each), 'benchmark')}"
        worst = [f"{v.benchmark} {fmt.text_of(v).value}" for v in slower]
        most = "most" if len(slower) > _NAMED else "by"
        reason = _builds_differ(result, last, before)
        yield (
            f"{fmt.quote(last)} is slower than {fmt.quote(before)}{on} ({most} "
            f"{fmt.join(worst[:_NAMED])}); {reason}."
        )


def _builds_differ(result: Result, a: str, b: str) -> str:
    """How the interpreters of two variants were built apart, or that it explains nothing."""
    facts = {}
    for build in result.recorded.builds:
        if isinstance(build, Build) and build.variant in (a, b):
            facts[build.variant] = dict(build.provenance.get("interpreter", {}).get("facts", {}))
    if len(facts) < 2 or not all(facts.values()):
        return "how the two were built is not known"
    apart = [name for name, value in facts[a].items() if facts[b].get(name) != value]
    if not apart:
        options = fmt.join(facts[a])
        return f"both were built alike ({options}), so that does not explain it: it is unexplained"
    differing = [f"{name} {facts[b].get(name)} and {facts[a][name]}" for name in apart]
    return f"the two were built differently, which may be the reason: {'; '.join(differing)}"


def way_section(result: Result) -> doc.ReportSection | None:
    """A table for each task: ways as rows, variants as columns."""
    tables = [_way_table(result, ways, costs) for ways, costs in _known(result)]
    return doc.section("ways", "What each way costs", *tables)


def way_summary(result: Result) -> doc.Table | None:
    """What each way of the first task costs, without intervals; None without ways."""
    first = next(iter(_known(result)), None)
    shown = first and _way_table(result, *first)
    if shown is None:
        return None
    return replace(shown.without_details(), caption=shown.caption.partition(";")[0])


def _way_table(result: Result, ways: Ways, costs: Costs) -> doc.Table | None:
    shown = [v for v in _variants(result) if any((w, v) in costs for w in ways.benchmarks)]
    measured = [w for w in ways.benchmarks if any((w, v) in costs for v in shown)]

    def cell(cost: WayCost | None) -> doc.Cell | None:
        return (
            doc.Cell(_way_seconds(cost), _way_interval(cost), number=cost.time.seconds)
            if cost
            else None
        )

    rows = [(way, *(cell(costs.get((way, v))) for v in shown)) for way in measured]
    sure = fmt.percent(min(c.time.confidence for c in costs.values()))
    return doc.table(
        f"{ways.what}: time of a loop; {sure} intervals", ("way", *doc.right(*shown)), rows
    )


def _way_seconds(cost: WayCost) -> str:
    return fmt.seconds(cost.time.seconds)


def _way_interval(cost: WayCost) -> str:
    """Without the unit of the lower end where both ends have the same: ``[14.4, 14.7 ns]``."""
    low, high = fmt.seconds(cost.time.low), fmt.seconds(cost.time.high)
    number, _, unit = low.partition(" ")
    return f"[{number if high.endswith(f' {unit}') else low}, {high}]"


def _way_time(cost: WayCost) -> str:
    return f"{_way_seconds(cost)} {_way_interval(cost)}"
