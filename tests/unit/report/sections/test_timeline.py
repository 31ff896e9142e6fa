"""Blocks by the time when they were taken."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.report.example import STARTED, sample_blocks, sample_result
from tests.unit.report.parts import changed

from whyfast.model.sample import Session
from whyfast.report.document import Plot
from whyfast.report.sections.timeline import timeline_data, timeline_section


def test_a_block_that_took_twice_as_long_is_at_two() -> None:
    first = replace(sample_blocks(1, 2)[0], session="s")
    blocks = [replace(first, index=i, started=STARTED + 60 * i) for i in range(5)]
    slow = {name: tuple(2 * v for v in values) for name, values in first.values.items()}
    blocks[3] = replace(blocks[3], values=slow, layouts={"clang19-goto": 7})
    data = timeline_data(blocks, [Session("s", STARTED - 30, {"load": 2.5}), Session("x", 0, {})])
    (series,) = data["series"]
    assert series["name"] == "sieve"
    assert [p["at"] for p in series["points"]] == [0, 1, 2, 3, 4]
    assert [p["level"] for p in series["points"]] == [1, 1, 1, pytest.approx(2), 1]
    assert series["points"][3]["text"] == "block 3, CPU 0, drawn layouts: 2.000x"
    assert data["sessions"] == [{"at": -0.5, "text": "start, load 2.5"}]


def test_every_block_of_a_result_has_a_point() -> None:
    found = timeline_section(sample_result())
    assert found is not None
    plot = found.blocks[1]
    assert isinstance(plot, Plot)
    assert [len(s["points"]) for s in plot.data["series"]] == [8] * 6


def test_one_block_has_no_line_of_time() -> None:
    assert timeline_section(changed(sample_result(), blocks=sample_blocks(1)[:1])) is None
