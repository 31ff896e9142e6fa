"""Ways to do the same, in sentences and a table."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.unit.judge.test_loop_times import blocks
from tests.unit.report.example import sample_result

from whyfast.model.result import Result
from whyfast.model.study import Study, Ways
from whyfast.report.document import Table
from whyfast.report.sections.loops import way_section, way_sentences

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
    assert "no dearer for certain" in first  # both take 3 s
    assert "2.00x faster" in alone
    assert "clang18-goto" in alone
    assert otherwise.index("4.00 s") < otherwise.index("3.00 s")


def test_a_variant_with_one_way_alone_is_no_comparison() -> None:
    times = {**TIMES, "clang19-tail": {"t": 3.0}}
    first, *_ = way_sentences(result(times))
    assert "on clang18-goto" in first


def test_the_table_has_every_way_and_variant() -> None:
    section = way_section(result(TIMES))
    assert section is not None
    (table,) = section.blocks
    assert isinstance(table, Table)
    assert [row[0].text for row in table.rows] == ["tuple", "array"]
    assert [c.number for c in table.rows[1][1:]] == [2.0, 3.0]


@pytest.mark.parametrize("ways", [(), (WAYS,)])
def test_a_study_without_them_has_neither(ways: tuple[Ways, ...]) -> None:
    given = sample_result()
    assert isinstance(given.question, Study)
    given = replace(given, question=replace(given.question, ways=ways))
    given = replace(given, recorded=replace(given.recorded, blocks=()))
    assert not ways or list(way_sentences(given)) == []
