"""What the builds of a study did, in tables and sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tests.unit.report.example import sample_result as example
from tests.unit.report.parts import changed

from whyfast.model.counted import ChangedFunctions, Counted
from whyfast.model.counters import Counter, Counts, Source
from whyfast.model.hot import CodePlace, HotFunction, Overlap
from whyfast.model.result import Result
from whyfast.report.document import Group, Table
from whyfast.report.result_json import from_json, to_json
from whyfast.report.topics.counted_work import (
    changed_sentences,
    count_tables,
    counted_notes,
    counted_sections,
    counted_sentences,
)
from whyfast.report.topics.summary import Comparisons

PLACE = CodePlace(0x1000, 640, ".text", 10, 1, 10, 2)


def _counts(
    variant: str,
    events: Mapping[str, float | None] | None = None,
    source: Source = "simulated",
    note: str = "",
) -> Counts:
    counters = tuple(Counter(n, v, "events", source, "tool 1.0") for n, v in (events or {}).items())
    notes = (note,) if note else ()
    return Counts(variant, ("/p",), counters, None, notes, failed=not counters)


def _hot(name: str, costs: tuple[float, float], misses: tuple[float, float]) -> HotFunction:
    return HotFunction(name, "", costs, (0.5, 0.5), (PLACE, None), misses)


def _result(*counted: Counted) -> Result:
    return changed(example(), counted=counted)


def _variants() -> tuple[str, str]:
    study = example().question
    other = next(v.name for v in study.variants if v.name != study.baselines[0])
    return study.baselines[0], other


def _events(executed: float, missed: float, indirect: float) -> dict[str, float | None]:
    return {
        "instructions": executed,
        "branch-misses": missed,
        "indirect branches": 100_000,
        "indirect branch misses": indirect,
        "L1i misses": 0,
    }


def _simulated(benchmark: str = "b") -> Counted:
    base, other = _variants()
    return Counted(
        benchmark,
        "one turn of 1 loop",
        (
            _counts(base, _events(1_000_000, 10_000, 8_300)),
            _counts(other, _events(1_100_000, 40_000, 34_700)),
        ),
        profiled=(base, other),
        event="instructions",
        tool="tool 1.0",
        hot=(
            _hot("vm_run", (900_000, 1_000_000), (9_000, 38_000)),
            _hot("helper", (50_000, 50_000), (1_000, 2_000)),
        ),
    )


def test_totals_stand_beside_the_baseline() -> None:
    base, other = _variants()
    totals, where = count_tables(_result(_simulated(), _simulated("c")))
    assert totals.caption == (
        "Simulated, not measured (tool 1.0): the same work of 2 benchmarks in each build"
    )
    titles = [c.title for c in totals.columns]
    # No build misses the instruction cache: nothing to see.
    assert titles == [
        "variant",
        "instructions",
        "branches mispredicted",
        "indirect ones mispredicted",
    ]
    rows = {row[0].text: [(c.text, c.detail) for c in row[1:]] for row in totals.rows}
    assert rows[base] == [("2.00 M", ""), ("20.0 k", ""), ("8.3 %", "")]
    assert rows[other] == [("2.20 M", "1.100x"), ("80.0 k", "4.000x"), ("34.7 %", "")]
    assert [[c.text for c in row] for row in where.rows] == [[other, "+200 k", "+60.0 k"]]
    assert where.rows[0][1].detail == "in vm_run +200 k"
    assert where.rows[0][2].detail == "in vm_run +58.0 k, helper +2.00 k"


def test_a_benchmark_that_one_build_lacks_is_not_added_up() -> None:
    _, other = _variants()
    broken = _simulated("broken")
    broken = replace(broken, counts=(broken.counts[0], _counts(other, note="it crashed")))
    totals = count_tables(_result(_simulated(), broken))[0]
    assert totals.caption.endswith(
        "the same work of b in each build, without 1 benchmark not counted everywhere"
    )
    assert totals.rows[0][1].text == "1.00 M"


def test_measured_and_simulated_never_share_a_table() -> None:
    base, other = _variants()
    both = replace(
        _simulated(),
        counts=(
            _counts(base, {"instructions": 100, "cycles": 50, "branch-misses": None}, "measured"),
            _counts(other, {"instructions": 100, "cycles": 80, "branch-misses": None}, "measured"),
        ),
    )
    measured = count_tables(_result(both))[0]
    assert measured.caption.startswith("Counted by the hardware (tool 1.0)")
    assert [c.title for c in measured.columns] == [
        "variant",
        "instructions",
        "cycles",
        "per cycle",
    ]
    assert [c.text for c in measured.rows[1][1:]] == ["100", "80", "1.25"]


def _behind(result: Result) -> list[Table]:
    _, section = counted_sections(result)
    assert section is not None
    inner = [b.blocks if isinstance(b, Group) else (b,) for b in section.blocks]
    return [b for blocks in inner for b in blocks if isinstance(b, Table)]


def test_what_stands_behind_the_totals() -> None:
    tables = _behind(_result(_simulated()))
    captions = [t.caption for t in tables]
    assert captions[0].startswith("b, one turn of 1 loop: Simulated, not measured")
    assert captions[1].startswith("b: Hot functions: share of instructions")
    assert captions[2] == "Where the hot functions lie"
    places = tables[2]
    assert [c.text for c in places.rows[0]] == ["vm_run", "0x1000", "–"]
    assert places.rows[0][1].detail == "10 lines on 1 page, 10 sets, 2 crowded"


def test_nothing_counted_is_nothing_shown() -> None:
    assert count_tables(_result()) == ()
    assert counted_sections(_result()) == (None, None)
    assert counted_notes(_result()) == ()


def test_the_sentences() -> None:
    result = _result(_simulated())
    base, other = _variants()
    comparisons = Comparisons(result.judged.verdicts, result.judged.suites)
    study = replace(result.question, claim=None)
    said = counted_sentences(study, comparisons, result.found.counted)
    assert said[0] == (
        f"In simulation, {other} executes 1.10x the instructions of {base} and mispredicts 34.7 % "
        f"of its indirect branches, where {base} mispredicts 8.3 %; of all further mispredictions "
        "97 % are in vm_run."
    )


def test_what_could_not_be_counted_is_said_once() -> None:
    base, other = _variants()
    study = example().question
    failed = Counted("b", "w", tuple(_counts(v, note="no tool") for v in (base, other)))
    nothing = Comparisons((), ())
    assert counted_sentences(study, nothing, (failed,)) == ["Nothing could be counted: no tool."]
    partly = replace(failed, counts=(_counts(base, {"instructions": 1}), failed.counts[1]))
    assert counted_sentences(study, nothing, (partly,)) == [f"Not counted: {other} in b: no tool."]


def test_what_commits_touch() -> None:
    touched = ChangedFunctions(
        "v1", "v2", "v", "the change touches no hot function", (), ("f (f.c)",)
    )
    assert changed_sentences((touched,)) == [
        "From v1 to v2, the change touches no hot function; it touches f (f.c)."
    ]
    many = replace(touched, functions=tuple(f"f{i} (f.c)" for i in range(9)))
    assert "it touches 9 functions, among them f0 (f.c), f1 (f.c)" in changed_sentences((many,))[0]


def test_json_keeps_it_all() -> None:
    result = _result(_simulated())
    touched = ChangedFunctions("v1", "v2", "v", "s", ("h",), ("f",), ("o:1",), (), ("README",))
    result = changed(result, changed=(touched,))
    again = from_json(to_json(result))
    assert again.found.counted == result.found.counted
    assert again.found.changed == result.found.changed


def test_what_the_hot_code_needs_of_the_cache_is_said_once_a_build() -> None:
    base, _ = _variants()
    small, large = (Overlap(base, 1, n, 1, 512, 8, 64, 2, 0) for n in (10, 90))
    one, two = (replace(_simulated(), overlaps=(o,)) for o in (large, small))
    (said,) = counted_notes(_result(one, two))
    assert said.startswith(f"{base}: 1 hot function spans 90 lines on 1 page (")
