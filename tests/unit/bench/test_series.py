"""Scores of changes in public series, and the peers that are written here."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from bench.series.__main__ import main
from bench.series.scores import f1
from bench.series.sets import Marked, with_steps
from bench.series.ways import bocpd, whyfast

NOISE = 0.01 * np.random.default_rng(1).standard_normal(60)
STEP = Marked(
    np.exp(NOISE + 0.1 * (np.arange(60) >= 30)), np.arange(60), ((30,),), "one suite", 2.0
)


def test_the_first_point_counts_as_a_change_that_everybody_knows() -> None:
    assert f1([[]], []) == 1.0
    assert f1([[30]], []) == pytest.approx(2 / 3)  # one of one right, one of two found


def test_a_change_within_five_points_is_found_once() -> None:
    assert f1([[30]], [35]) == 1.0
    assert f1([[30]], [36]) == 0.5
    # Two changes near one mark: two of three right, two of two found.
    assert f1([[30]], [29, 31]) == pytest.approx(0.8)


def test_recall_is_the_mean_over_people() -> None:
    # Precision 1; found by the first person 2 of 2, by the second 1 of 2.
    assert f1([[30], [50]], [30]) == pytest.approx(2 * 0.75 / 1.75)


def test_the_step_is_found_where_it_is() -> None:
    assert whyfast({"a": STEP}) == {"a": [30]}
    assert bocpd({"a": STEP}) == {"a": [30]}


def test_nothing_is_found_in_noise() -> None:
    quiet = Marked(np.exp(NOISE), np.arange(60), ((),), "one suite")
    assert whyfast({"a": quiet}) == bocpd({"a": quiet}) == {"a": []}


def test_every_other_series_gets_a_step_that_is_marked() -> None:
    quiet = {str(i): Marked(np.ones(20), np.arange(20), ((),), "s") for i in range(40)}
    stepped = [s for s in with_steps(quiet, 0.05).values() if s.marks != ((),)]
    assert 10 < len(stepped) < 30
    for series in stepped:
        assert series.marks is not None
        (at,) = series.marks[0]
        assert 5 <= at < 15
        assert series.values.tolist() == [1.0] * at + [1.05] * (20 - at)


def test_the_table_of_a_set_that_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tests = tmp_path / "otava/tests"
    tests.mkdir(parents=True)
    times = [1000 + (i * 7) % 5 + (200 if i >= 71 else 0) for i in range(120)]
    (tests / "tigerbeetle_test.py").write_text(f"def series():\n    return {times}\n")
    kept = tmp_path / "kept.json"
    assert main(["--data", str(tmp_path), "--set", "TigerBeetle", "--keep", str(kept)]) == 0
    # Precision 1 of two, recall 2 of the 4 that the description names.
    assert "| TigerBeetle (1) | whyfast | 0.667 |" in capsys.readouterr().out
    assert json.loads(kept.read_text())["TigerBeetle"]["whyfast"] == {"TigerBeetle": [71]}
