"""Single runs of commands as other tools show them."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.example_blocks import block
from tests.unit.report.example import ab_result, sample_result
from tests.unit.report.parts import as_markdown, changed

from whyfast.report.sections.recordings import run_times_section


def test_mean_deviation_least_and_most_of_all_runs() -> None:
    names = [v.name for v in ab_result().question.variants]
    blocks = tuple(
        replace(block({names[0]: [x], names[1]: [2 * x]}), loops=1) for x in (0.1, 0.2, 0.3)
    )
    result = changed(ab_result(), blocks=blocks)
    assert run_times_section(result) is not None
    text = as_markdown(result, verbose=True)
    assert f"| {names[0]} | 200 ms | 100 ms | 100 ms | 300 ms | 3 |" in text.replace("`", "")
    assert f"| {names[1]} | 400 ms | 200 ms | 200 ms | 600 ms | 3 |" in text.replace("`", "")
    assert "Time of a run" not in as_markdown(result)


def test_studies_have_none() -> None:
    assert run_times_section(sample_result()) is None
