"""Memory and CPU time are more or less, not slower or faster."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.report.example import ab_result, sample_result, verdict
from tests.unit.report.parts import as_html, as_markdown, changed

from whyfast.model.result import Result
from whyfast.report.topics.certainty import metric_table


def _result() -> Result:
    plain = ab_result()
    base, other = "sleep 0.10", "sleep 0.11"
    more = verdict(other, base, "slower", 1.5, 1.4, 1.6, benchmark="command")
    same = verdict(other, base, "same", 1.001, 0.998, 1.004, benchmark="command")
    extra = {base: {"user": (0.002,)}, other: {"user": (0.003,)}}
    return changed(
        plain,
        metrics=(replace(more, metric="user"), replace(same, metric="minor_faults")),
        blocks=tuple(replace(b, extra=extra) for b in plain.recorded.blocks),
    )


def test_words_and_medians() -> None:
    table = metric_table(_result())
    assert table is not None
    assert [[f"{c.text} {c.detail}".strip() for c in row] for row in table.rows] == [
        ["user CPU time", "sleep 0.11", "3.00 ms", "1.50x more [1.40, 1.60]", "2.00 ms"],
        ["page faults (minor)", "sleep 0.11", "–", "same 1.001x [0.998, 1.004]", "–"],
    ]


def test_only_what_differs_unless_asked() -> None:
    table = metric_table(_result())
    assert table is not None
    assert table.short is not None
    assert len(table.short.rows) == 1
    assert metric_table(sample_result()) is None
    assert "page faults" not in as_markdown(_result())
    assert "page faults" in as_markdown(_result(), verbose=True)
    assert "1.50x more" in as_html(_result())
