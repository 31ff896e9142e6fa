"""Memory and CPU time are more or less, not slower or faster."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.example_blocks import block as example_block
from tests.unit.report.example import ab_result, sample_result, verdict
from tests.unit.report.parts import as_html, as_markdown, changed

from whyfast.model.result import Result
from whyfast.report.topics.certainty import metric_table, pinning_sentences


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


def test_each_result_says_what_was_pinned() -> None:
    pinned = replace(example_block({"a": [1.0], "b": [1.0]}), cpu=1)
    free = replace(pinned, benchmark="sort", cpu=None, threads={"a": 1, "b": 4})
    assert [*pinning_sentences([pinned])] == [
        "All was pinned: the processes of a block to one CPU, drawn for each block."
    ]
    assert [*pinning_sentences([free])] == [
        "Nothing was pinned: processes were free to use all CPUs (b has 4 threads at work)."
    ]
    assert [*pinning_sentences([pinned, free])] == [
        "The processes of a block were pinned to one CPU, drawn for each block; but free to use "
        "all CPUs on sort (b has 4 threads at work)."
    ]
    assert [*pinning_sentences([])] == []


def test_only_what_differs_unless_asked() -> None:
    table = metric_table(_result())
    assert table is not None
    assert table.short is not None
    assert len(table.short.rows) == 1
    assert metric_table(sample_result()) is None
    assert "page faults" not in as_markdown(_result())
    assert "page faults" in as_markdown(_result(), verbose=True)
    assert "1.50x more" in as_html(_result())
