"""Ways to do the same, in sentences and a table."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.unit.judge.test_loop_times import blocks
from tests.unit.report.example import sample_result

from whyfast.model.build import Build
from whyfast.model.result import Result
from whyfast.model.study import Study, Ways
from whyfast.report.document import Table
from whyfast.report.sections.loops import way_section, way_sentences, way_summary

WAYS = Ways("A call", {"tuple": "t", "array": "v"})

#: Seconds of a loop by variant and benchmark.
TIMES = {
    "clang18-goto": {"t": 4.0, "v": 2.0},
    "clang19-tail": {"t": 3.0, "v": 3.0},
}


def result(times: Mapping[str, Mapping[str, float]]) -> Result:
    given = sample_result()
    taken = []
    for benchmark in ("t", "v"):
        for one in blocks([1.0, 1.01, 0.99] * 3, benchmark=benchmark):
            values = {
                v: tuple(x * t[benchmark] for x in one.values["a"])
                for v, t in times.items()
                if benchmark in t
            }
            taken.append(replace(one, values=values))
    assert isinstance(given.question, Study)
    question = replace(given.question, ways=(WAYS,))
    return replace(given, question=question, recorded=replace(given.recorded, blocks=tuple(taken)))


def test_the_cheapest_on_the_last_variant_comes_first() -> None:
    first, alone, otherwise, *_ = way_sentences(result(TIMES))
    assert first.startswith("A call is cheapest by")
    assert "clang19-tail" in first
    assert "not certainly less than by array (3.00 s)" in first
    assert "on clang18-goto tuple took 4.00 s" in first
    assert "2.00x faster" in alone
    assert "clang18-goto" in alone
    assert otherwise.index("4.00 s") < otherwise.index("3.00 s")


def test_a_variant_with_one_way_alone_is_no_comparison() -> None:
    times = {**TIMES, "clang19-tail": {"t": 3.0}}
    first, *_ = way_sentences(result(times))
    assert "on clang18-goto" in first


def test_what_the_cheapest_gains_on_the_first_is_said_with_it() -> None:
    times = {"clang18-goto": TIMES["clang18-goto"], "clang19-tail": {"t": 3.0, "v": 1.0}}
    first, *_ = way_sentences(result(times))
    assert "cheapest by array on clang19-tail: 1.00 s [990 ms, 1.01 s], 3.00x faster" in first
    assert "than by tuple there (3.00 s)" in first
    assert "certainly" not in first


def test_of_the_last_variant_it_is_said_where_it_is_slower_and_why_not() -> None:
    given = result(TIMES)
    facts = {"compiler": "GCC 12", "PGO": "without PGO"}
    last, base = "clang19-tail", "clang18-goto"
    slow = replace(given.judged.verdicts[0], variant=last, baseline=base, outcome="slower")
    slow = replace(slow, benchmark="t", ratio=1.5, low=1.4, high=1.6)
    builds = tuple(
        replace(b, provenance={"interpreter": {"facts": facts}}) for b in _two(given, last, base)
    )
    given = replace(given, judged=replace(given.judged, verdicts=(slow,), suites=()))
    alike = replace(given, recorded=replace(given.recorded, builds=builds))
    (said,) = [t for t in way_sentences(alike) if "slower than" in t]
    assert "on 1 of 1 benchmark (by t 1.50x)" in said
    assert "unexplained" in said
    pgo = replace(builds[0], provenance={"interpreter": {"facts": facts | {"PGO": "with PGO"}}})
    apart = replace(given, recorded=replace(given.recorded, builds=(pgo, builds[1])))
    (said,) = [t for t in way_sentences(apart) if "slower than" in t]
    assert "PGO without PGO and with PGO" in said


def _two(given: Result, *names: str) -> list[Build]:
    built = {b.variant: b for b in given.recorded.builds if isinstance(b, Build)}
    return [built[name] for name in names]


def test_the_table_has_every_way_that_was_measured_and_variant() -> None:
    section = way_section(result(TIMES))
    assert section is not None
    (table,) = section.blocks
    assert isinstance(table, Table)
    assert [row[0].text for row in table.rows] == ["tuple", "array"]
    assert [c.number for c in table.rows[1][1:]] == [2.0, 3.0]
    alone = result({v: {"t": t["t"]} for v, t in TIMES.items()})
    short = way_summary(alone)
    assert short is not None
    assert [row[0].text for row in short.rows] == ["tuple"]
    assert not any(cell.detail for cell in short.rows[0])


@pytest.mark.parametrize("ways", [(), (WAYS,)])
def test_a_study_without_them_has_neither(ways: tuple[Ways, ...]) -> None:
    given = sample_result()
    assert isinstance(given.question, Study)
    given = replace(given, question=replace(given.question, ways=ways))
    given = replace(given, recorded=replace(given.recorded, blocks=()))
    assert not ways or list(way_sentences(given)) == []
