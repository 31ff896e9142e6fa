"""Times of single runs, and figures of a headline that agree with their interval."""

from __future__ import annotations

import math
import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.example_blocks import block
from tests.unit.report.example import ab_result, sample_result
from tests.unit.report.parts import as_markdown, changed

from whyfast.judge.decide import outcome_of
from whyfast.model.verdict import Verdict
from whyfast.report.formatting import format_verdict
from whyfast.report.sections.recordings import run_times_section

VERDICT = Verdict("head", "base", "b", "slower", 1.0, 1.0, 1.0, 0.95, 0.0, 20)


@given(
    ratio=st.floats(0.5, 2),
    below=st.floats(1e-6, 0.1),
    above=st.floats(1e-6, 0.1),
    margin=st.sampled_from([0.01, 0.0001]),
)
def test_an_estimate_lies_in_its_interval_and_on_its_side(
    ratio: float, below: float, above: float, margin: float
) -> None:
    low, high = ratio * math.exp(-below), ratio * math.exp(above)
    verdict = replace(
        VERDICT,
        ratio=ratio,
        low=low,
        high=high,
        outcome=outcome_of(math.log(low), math.log(high), margin),
    )
    text = format_verdict(verdict, margin, "clause")
    factor = float(re.search(r"(\d+\.\d+)x", text)[1])  # type: ignore[index]
    ends = re.search(r"\[(\d+\.\d+), (\d+\.\d+)\]", text)
    assert ends is not None
    assert float(ends[1]) <= factor <= float(ends[2])


def test_the_published_bad_line() -> None:
    verdict = replace(VERDICT, ratio=1 / 1.0255, low=1 / 1.0261, high=1 / 1.0249, outcome="faster")
    text = format_verdict(verdict, 0.01, "clause")
    assert text == "1.0255x faster than base [1.0249, 1.0261]"


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
