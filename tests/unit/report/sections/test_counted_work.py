"""What the builds of a study did, in tables and sentences."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.report.example import sample_result as example
from tests.unit.report.examples import counted_result, counts_of, simulated, two_variants

from whyfast.model.counters import ChangedFunctions, Counted, Overlap
from whyfast.report.sections.counted_work import (
    changed_sentences,
    count_tables,
    counted_notes,
    counted_sections,
    counted_sentences,
)
from whyfast.report.sections.main_table import Comparisons


def test_a_benchmark_that_one_build_lacks_is_not_added_up() -> None:
    _, other = two_variants()
    broken = simulated("broken")
    broken = replace(broken, counts=(broken.counts[0], counts_of(other, note="it crashed")))
    totals = count_tables(counted_result(simulated(), broken))[0]
    assert totals.caption.endswith(
        "the same work of b in each build, without 1 benchmark not counted everywhere"
    )
    assert totals.rows[0][1].text == "1.00 M"


def test_measured_and_simulated_never_share_a_table() -> None:
    base, other = two_variants()
    both = replace(
        simulated(),
        counts=tuple(
            counts_of(v, {"instructions": 100, "cycles": n, "branch-misses": None}, "measured")
            for v, n in ((base, 50), (other, 80))
        ),
    )
    measured = count_tables(counted_result(both))[0]
    assert measured.caption.startswith("Counted by the hardware (tool 1.0)")
    assert [c.title for c in measured.columns] == ["variant", "instructions", "cycles", "per cycle"]
    assert [c.text for c in measured.rows[1][1:]] == ["100", "80", "1.25"]


def test_nothing_counted_is_nothing_shown() -> None:
    assert count_tables(counted_result()) == ()
    assert counted_sections(counted_result()) == (None, None)
    assert counted_notes(counted_result()) == ()


def test_what_could_not_be_counted_is_said_once() -> None:
    base, other = two_variants()
    study = example().question
    failed = Counted("b", "w", tuple(counts_of(v, note="no tool") for v in (base, other)))
    nothing = Comparisons((), ())
    assert counted_sentences(study, nothing, (failed,)) == ["No counts: no tool."]
    partly = replace(failed, counts=(counts_of(base, {"instructions": 1}), failed.counts[1]))
    assert counted_sentences(study, nothing, (partly,)) == [f"Not counted: {other} in b: no tool."]


def test_what_commits_touch() -> None:
    statement = "the change touches no hot function"
    touched = ChangedFunctions("v1", "v2", "v", statement, (), ("f (f.c)",))
    (text,) = changed_sentences((touched,))
    assert text == f"From v1 to v2, {statement}; it touches f (f.c)."
    many = replace(touched, functions=tuple(f"f{i} (f.c)" for i in range(9)))
    (text,) = changed_sentences((many,))
    assert "it touches 9 functions, among them f0 (f.c), f1 (f.c)" in text


def test_what_the_hot_code_needs_of_the_cache_is_said_once_a_build() -> None:
    base, _ = two_variants()
    small, large = (Overlap(base, 1, n, 1, 512, 8, 64, 2, 0) for n in (10, 90))
    one, two = (replace(simulated(), overlaps=(o,)) for o in (large, small))
    (note,) = counted_notes(counted_result(one, two))
    assert note.startswith(f"{base}: 1 hot function spans 90 lines on 1 page (")
