"""Cost by parameter, and what the programs said about themselves, in every kind of report."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.unit.report.example import sample_result
from tests.unit.report.parts import answer_from, as_html, as_markdown, as_terminal, changed
from tests.unit.report.slope_example import LINES, estimate, slope_result

from whyfast.model.observed import Observed
from whyfast.model.slope import Coefficient
from whyfast.report.answer import answer_of
from whyfast.report.result_json import dump_result, from_json
from whyfast.report.topics.cost_by_parameter import (
    format_estimate,
    overhead_table,
    point_tables,
    run_times_table,
    slope_plots,
    slope_sentences,
    slope_tables,
)
from whyfast.report.topics.machine_code import image_sentences, image_table


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (estimate(0.8), "0.800 ns [0.784, 0.816]"),
        (estimate(16), "16.0 ns [15.7, 16.3]"),
        (estimate(1500), "1.50 µs [1.47, 1.53]"),
        (estimate(15, bounded=False), "15.0 ns [–, –]"),
        (Coefficient(-2e-9, -5e-9, 1e-9), "−2.00 ns [−5.00, 1.00]"),
        (Coefficient(100e-9, 99.98e-9, 100.02e-9), "100.00 ns [99.98, 100.02]"),
        (Coefficient(0.0, 0.0, 0.0), "0.000 ns [0.000, 0.000]"),
    ],
)
def test_an_estimate_in_print(value: Coefficient, text: str) -> None:
    assert format_estimate(value) == text


def test_the_slopes_are_the_headline_and_the_switch_is_named() -> None:
    answer = answer_of(slope_result())
    assert answer.headline == (
        "One more tail call costs 0.800 ns [0.784, 0.816] with static, 16.0 ns [15.7, 16.3] with "
        "hardened (20.0x slower) and 0.800 ns [0.784, 0.816] with harden-1 (slope from 0 to 33 "
        "tail calls, median of 20 passes)."
    )
    assert answer.sentences[0] == (
        "In the machine code that was made at run time, one program follows the other by direct "
        "jumps for static and harden-1 and jumps through a thunk (retpoline) for hardened."
    )
    assert answer.sentences[1] == (
        "hardened is static with nothing changed but net.core.bpf_jit_harden = 2: that alone turns "
        "direct jumps into jumps through a thunk (retpoline), and one more tail call from "
        "0.800 ns [0.784, 0.816] to 16.0 ns [15.7, 16.3]."
    )
    assert answer.sentences[2] == (
        "harden-1 is static with nothing changed but net.core.bpf_jit_harden = 1, which leaves the "
        "jumps as they are."
    )


def test_no_cause_is_named_where_more_than_a_setting_differs() -> None:
    result = slope_result()
    other = replace(result.question.variants[1], run=("--index", "dynamic"))
    study = replace(result.question, variants=(result.question.variants[0], other))
    assert len(image_sentences(study, result.found.observed.images, LINES)) == 1


def test_the_tables() -> None:
    result = slope_result()
    (slopes,) = slope_tables(result)
    assert [c.title for c in slopes.columns] == [
        "variant",
        "one more tail call",
        "against the baseline",
        "line at 0",
        "furthest from the line",
    ]
    assert [cell.text for cell in slopes.rows[1]] == [
        "hardened",
        "16.0 ns [15.7, 16.3]",
        "20.0x slower",
        "15.0 ns [14.7, 15.3]",
        "−1.50 ns at 33",
    ]
    (points,) = point_tables(result)
    assert len(points.rows) == 9
    assert [cell.text for cell in points.rows[4]] == [
        "5",
        "hardened",
        "95.0 ns [93.1, 96.9]",
        "2.10 %",
        "0.40 %",
        "20",
    ]
    images, overheads = image_table(result), overhead_table(result)
    assert images is not None
    assert overheads is not None
    assert [cell.text for cell in images.rows[1]] == [
        "hardened",
        "jumps through a thunk (retpoline)",
        "84 B",
        "25",
        "+0x84: a jump to __x86_indirect_thunk_rcx",
        "3 of 3 go on",
    ]
    assert [cell.text for cell in overheads.rows[0]] == ["one system call", "610 ns"]


def test_single_runs_by_quantile() -> None:
    table = run_times_table(slope_result())
    assert table is not None
    assert [row[0].text for row in table.rows] == [
        *(["calls-0"] * 3),
        *(["calls-5"] * 3),
        *(["calls-33"] * 3),
    ]
    assert [cell.text for cell in table.rows[0]] == [
        "calls-0",
        "static",
        "24.0 ns",
        "24.0 ns",
        "24.0 ns",
        "25.0 ns",
        "25.0 ns",
        "≥ 266 µs",
        "1 000",
    ]


def test_every_report_has_it() -> None:
    result = slope_result()
    for said in (as_terminal(result, 200, verbose=True), as_markdown(result, verbose=True)):
        assert "one more tail call" in said
        assert "Machine code made at run time" in said
        assert "What timing itself costs" in said
    html = as_html(result)
    assert 'id="slopes"' in html
    assert "+0x47  jmp static" in html
    assert from_json(json.loads(dump_result(result))) == from_json(
        json.loads(dump_result(from_json(json.loads(dump_result(result)))))
    )
    unheard = replace(result.found.observed, notes=("no machine code of static: hidden",))
    assert "no machine code of static: hidden." in as_html(changed(result, observed=unheard))
    back = from_json(json.loads(dump_result(result)))
    assert (back.judged.slopes, back.found.observed) == (
        result.judged.slopes,
        result.found.observed,
    )


def test_without_a_parameter_there_is_nothing_of_it() -> None:
    result = sample_result()
    assert (slope_tables(result), point_tables(result)) == ((), ())
    assert image_table(result) is run_times_table(result) is overhead_table(result) is None
    assert 'id="slopes"' not in as_html(result)
    assert list(slope_plots(result)) == []
    answer = answer_from(result.question, verdicts=(), suites=(), observed=Observed())
    assert "One more" not in answer.headline


def test_plots_get_nanoseconds_and_leave_out_the_longest_runs() -> None:
    (plot,) = slope_plots(slope_result())
    family = plot.data
    assert (family["name"], family["values"]) == ("tail call", [0, 5, 33])
    static = family["variants"][0]
    assert static["slope"] == pytest.approx(0.8)
    assert static["points"][2]["value"] == pytest.approx(41.4)
    assert static["points"][2]["text"] == "41.4 ns [40.6, 42.2]"
    assert static["runs"]["33"] == {
        "ns": [24.0, 25.0],
        "share": [pytest.approx(90), pytest.approx(9.9)],
    }


def test_where_no_line_is_meant_the_points_alone_are_shown() -> None:
    lines = tuple(replace(one, linear=False) for one in LINES)
    result = changed(slope_result(), slopes=lines)
    assert slope_sentences(lines) == []
    assert slope_tables(result) == ()
    assert len(point_tables(result)) == 1
    (plot,) = slope_plots(result)
    assert [v["linear"] for v in plot.data["variants"]] == [False] * len(LINES)
