"""How benchmarks lie about their mean, and which of them moves it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.report.example import (
    SUITES,
    ab_result,
    sample_result,
    sample_study,
    suite,
    verdict,
)
from tests.unit.report.parts import changed

from whyfast.model.result import Result
from whyfast.model.verdict import Suite, Verdict
from whyfast.report.result_json import to_json
from whyfast.report.sections.distribution import (
    distribution_tables,
    distributions,
    influence_sentences,
    suite_carriers,
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


def test_pairs_come_in_the_order_of_the_study() -> None:
    pairs: dict[str, list[str]] = {}
    for d in distributions(sample_result()):
        pairs.setdefault(d.baseline, []).append(d.variant)
    assert pairs == {
        "clang18-goto": ["clang19-goto", "clang19-goto-taildup", "clang19-tail"],
        "clang19-goto": ["clang18-goto", "clang19-goto-taildup", "clang19-tail"],
    }


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
        ("40 %,", "2 of 5"),
        ("20 %,", "1 of 5"),
        ("3 / 2", ""),
    ]
    (table,) = distribution_tables(changed(_result(), verdicts=VERDICTS[2:4]))
    texts = [c.text for c in table.rows[0][1:]]
    assert texts == ["1.005x faster (undecided)", "1.00x (same)", "0 %,", "0 %,", "1 / 1"]


def test_a_short_report_has_the_main_baseline_and_the_claim() -> None:
    full = distribution_tables(sample_result())
    assert [[row[0].text for row in (t.short or t).rows] for t in full] == [
        ["clang19-goto", "clang19-goto-taildup", "clang19-tail"],
        ["clang19-tail"],
    ]
    assert [len(t.rows) for t in full] == [3, 3]


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
        "moved_by": [
            {"benchmark": "fib", "without": 0.9},
            {"benchmark": "sieve", "without": 1.0},
        ],
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
            [
                "keeps the geometric mean of clang19-tail within 1 %: without it, 1.02x faster.",
            ],
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
