"""How benchmarks lie about their mean, and which of them moves it. Placement or change, and fixes
of placement, in words, tables and the data of plots."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from tests.golden_files import check_golden, paragraphs
from tests.unit.report.example import SUITES, ab_result, sample_result, sample_study, suite, verdict
from tests.unit.report.examples import OPEN_PLACED, SAME_PLACED, fix_of, fixes_result
from tests.unit.report.parts import changed
from tests.unit.report.placement_example import CHANGED, PLACED, POINTS, placement, placement_result

from whyfast.model.result import Result
from whyfast.model.verdict import Fix, Suite, Verdict
from whyfast.report.result_json import dump_result, from_json, to_json
from whyfast.report.sections.distribution import (
    distribution_tables,
    distributions,
    influence_sentences,
    suite_carriers,
)
from whyfast.report.sections.layouts import (
    fix_sentences,
    fix_table,
    placement_plot,
    placement_sentences,
    spread_text,
)

PAIR = ("clang19-tail", "clang18-goto")
CLAIM = ("clang19-tail", "clang19-goto")


def _of(name: str, outcome: str, ratio: float) -> Verdict:
    return verdict(*PAIR, outcome, ratio, ratio * 0.99, ratio * 1.01, benchmark=name)  # type: ignore[arg-type]


VERDICTS = (
    _of("sieve", "faster", 0.8),
    _of("fib", "slower", 1.25),
    _of("nbody", "undecided", 0.995),
    _of("sort", "same", 1.001),
    _of("mandel", "faster", 0.9),
)


def _result(*suites: Suite) -> Result:
    return changed(sample_result(), verdicts=VERDICTS, suites=suites)


def test_best_worst_and_shares() -> None:
    (found,) = distributions(_result())
    assert (found.variant, found.baseline) == PAIR
    assert [v.benchmark for v in found.verdicts] == ["sieve", "mandel", "nbody", "sort", "fib"]
    assert (found.best.benchmark, found.worst.benchmark) == ("sieve", "fib")
    assert found.words == {"faster": 2, "slower": 1, "undecided": 1, "same": 1}
    # By estimate: nbody is not certain, and counts.
    assert (found.gained, found.lost) == (3, 2)
    assert found.suite is None
    assert found.carriers == ()


def test_one_benchmark_is_no_distribution() -> None:
    assert distributions(ab_result()) == ()
    assert distribution_tables(ab_result()) == ()
    assert to_json(ab_result())["data"]["distributions"] == []


def test_a_benchmark_without_a_ratio_is_left_out() -> None:
    broken = replace(VERDICTS[0], ratio=float("nan"))
    (found,) = distributions(changed(_result(), verdicts=(broken, *VERDICTS[1:])))
    assert found.best.benchmark == "mandel"


def test_the_table_says_what_is_certain_and_what_is_not() -> None:
    (table,) = distribution_tables(_result())
    assert table.caption == "Distribution of the 5 benchmarks, against clang18-goto"
    (row,) = table.rows
    assert [(c.text, c.detail) for c in row] == [
        ("clang19-tail", ""),
        ("1.25x faster", "on sieve"),
        ("1.25x slower", "on fib"),
        ("40 %", "(2 of 5)"),
        ("20 %", "(1 of 5)"),
        ("3 / 2", ""),
    ]
    (table,) = distribution_tables(changed(_result(), verdicts=VERDICTS[2:4]))
    texts = [c.text for c in table.rows[0][1:]]
    assert texts == ["1.005x faster (undecided)", "1.00x (same)", "0 %", "0 %", "1 / 1"]


def test_the_json_has_every_figure() -> None:
    mean = Suite(verdict(*PAIR, "faster", 0.96, 0.95, 0.97), {"sieve": 1.0, "fib": 0.9})
    (found,) = to_json(_result(mean))["data"]["distributions"]
    assert found == {
        "variant": "clang19-tail",
        "baseline": "clang18-goto",
        "benchmarks": 5,
        "best": {"benchmark": "sieve", "ratio": 0.8, "outcome": "faster"},
        "worst": {"benchmark": "fib", "ratio": 1.25, "outcome": "slower"},
        "outcomes": {"faster": 2, "slower": 1, "same": 1, "undecided": 1},
        "estimates": {"faster": 3, "slower": 2},
        "moved_by": [{"benchmark": "fib", "without": 0.9}, {"benchmark": "sieve", "without": 1.0}],
    }


@pytest.mark.parametrize(
    ("mean", "texts"),
    [
        (
            Suite(verdict(*PAIR, "faster", 0.9, 0.89, 0.91), {"fib": 0.95, "sort": 0.9}),
            ["carries 51% of the geometric mean of clang19-tail: without it, 1.05x faster."],
        ),
        (
            Suite(verdict(*PAIR, "same", 0.997, 0.993, 1.001), {"fib": 0.985, "sort": 0.998}),
            ["keeps the geometric mean of clang19-tail within 1 %: without it, 1.02x faster."],
        ),
        # The claimed gain counts too, and names its baseline; another one does not.
        (
            Suite(verdict(*CLAIM, "faster", 0.9, 0.89, 0.91), {"fib": 0.98}),
            [
                "carries 81% of the geometric mean of clang19-tail against clang19-goto: "
                "without it, 1.02x faster."
            ],
        ),
        (
            Suite(verdict("clang19-goto-taildup", CLAIM[1], "faster", 0.9, 0.89, 0.91), {"fib": 1}),
            [],
        ),
        (suite(*PAIR, "undecided", 1.01, 0.98, 1.04), []),
    ],
)
def test_a_benchmark_that_carries_a_mean(mean: Suite, texts: list[str]) -> None:
    expected = [f"fib alone {text}" for text in texts]
    assert influence_sentences((mean,), sample_study()) == expected


def test_of_a_mean_that_rests_on_no_benchmark_nothing_is_reported() -> None:
    assert suite_carriers(SUITES[0], 0.01) == ()
    assert influence_sentences(SUITES, sample_study()) == []
    assert suite_carriers(suite(*PAIR, "undecided", 1.01, 0.98, 1.04), 0.01) == ()


STUDY = placement_result().question


PAIRS = {
    "placement": PLACED,
    "change": CHANGED,
    "both": placement("both", PLACED.linked, replace(CHANGED.varied, variant="after")),
    "neither": placement("neither", SAME_PLACED, SAME_PLACED),
    "no spread": placement("neither", SAME_PLACED, SAME_PLACED, spread=0.0),
    "unknown spread": placement("neither", SAME_PLACED, SAME_PLACED, spread=math.nan),
    "slower as linked, open over layouts": placement("undecided", PLACED.linked, OPEN_PLACED),
    "same as linked, open over layouts": placement("undecided", SAME_PLACED, OPEN_PLACED),
}


@pytest.mark.golden
def test_pairs_in_sentences() -> None:
    texts = {name: placement_sentences([pair], STUDY) for name, pair in PAIRS.items()}
    check_golden("report", "placements.md", paragraphs(texts))


def test_what_is_within_reach_of_chance_is_not_called_far() -> None:
    near = placement("placement", PLACED.linked, SAME_PLACED, points=[*POINTS, 0.6])
    (text,) = placement_sentences([near], STUDY)
    assert text.endswith("over 17 layouts).")


def test_spread() -> None:
    assert [spread_text(x) for x in (0.0, 0.0025, 0.1)] == ["none seen", "0.25 %", "11 %"]


def _plotted(result: Result) -> Any:
    plot = placement_plot(result)
    assert plot is not None
    return plot.data


def test_plots_get_ratios_and_their_words() -> None:
    data = _plotted(placement_result())
    assert [b["name"] for b in data["baselines"]] == ["before", "after"]
    placed, changed = data["baselines"][0]["figures"]
    assert placed["title"] == "after against before: placement"
    assert placed["label"] == (
        "after against before. as linked 1.65x slower [1.62, 1.68], over 16 layouts same within "
        "1 % (1.000x [0.997, 1.003]): placement."
    )
    (row,) = placed["rows"]
    assert (row["name"], len(row["points"])) == ("", 16)
    assert row["points"][1] == pytest.approx(math.exp(POINTS[1]))
    assert (row["linked"]["low"], row["linked"]["high"]) == (1.62, 1.68)
    assert changed["rows"][0]["varied"]["ratio"] == 1.05


def test_what_has_no_bound_or_no_ratio_is_left_out_of_the_plots() -> None:
    result = placement_result()
    open_ended = replace(PLACED.linked, outcome="undecided", low=0.0, high=math.inf)
    none = replace(PLACED.varied, outcome="undecided", ratio=math.nan, low=0.0, high=math.inf)
    odd = replace(PLACED, linked=open_ended, varied=none, points=(0.0, math.nan))
    (row,) = _plotted(changed(result, placements=(odd,)))["baselines"][0]["figures"][0]["rows"]
    assert (row["linked"]["low"], row["linked"]["high"], row["varied"]) == (None, None, None)
    assert row["points"] == [1.0]


FIXES = {
    "removed": fix_of("removed"),
    "reduced": fix_of("reduced", 0.01),
    "larger": fix_of("larger", 0.03),
    "none": fix_of("none", 0.0, 0.001),
    "undecided": fix_of("undecided", 0.015),
    "too few": fix_of("undecided", math.nan, math.nan),
}


def _fix_texts(result: Result) -> list[str]:
    return fix_sentences(result.judged.fixes, result.judged.placements, result.question)


@pytest.mark.golden
def test_fixes_in_sentences() -> None:
    texts = {name: _fix_texts(fixes_result(fix)) for name, fix in FIXES.items()}
    check_golden("report", "fixes.md", paragraphs(texts))
    assert fix_table(placement_result()) is None
    assert _fix_texts(placement_result()) == []


def test_json_keeps_what_could_not_be_measured_apart() -> None:
    nan = math.nan
    fix = Fix("hot", "after", "calls", "undecided", nan, nan, nan, nan, 5)
    (back,) = from_json(json.loads(dump_result(fixes_result(fix)))).judged.fixes
    assert [math.isnan(x) for x in (back.spread, back.without, back.low, back.high)] == [True] * 4
