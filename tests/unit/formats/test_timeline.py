"""Points from files in order, and from a column of a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from whyfast.formats.timeline import Wanted, load_timeline
from whyfast.model.errors import UserError
from whyfast.model.history import PointSeries, Timeline

COSTS = """\
kernel,retpoline,length,mean_ns
v5.4,y,0,23
v5.4,n,0,24
v5.5,y,0,25
v5.5,n,0,18.5
v5.4,y,0,25
v5.6,y,0,24
"""


@pytest.fixture
def costs(tmp_path: Path) -> Path:
    path = tmp_path / "costs.csv"
    path.write_text(COSTS)
    return path


def test_each_value_of_the_column_is_a_point_in_the_order_of_the_file(costs: Path) -> None:
    assert load_timeline([str(costs)], Wanted("kernel")) == Timeline(
        ("v5.4", "v5.5", "v5.6"),
        (
            PointSeries(
                "retpoline=y length=0",
                (pytest.approx(24e-9), pytest.approx(25e-9), pytest.approx(24e-9)),  # type: ignore[arg-type]
                {"retpoline": "y", "length": "0"},
                pytest.approx(0.1e-9),  # type: ignore[arg-type]
                spreads=(pytest.approx(1 / 24), None, None),  # type: ignore[arg-type]
            ),
            PointSeries(
                "retpoline=n length=0",
                (pytest.approx(24e-9), pytest.approx(18.5e-9), None),  # type: ignore[arg-type]
                {"retpoline": "n", "length": "0"},
                pytest.approx(0.1e-9),  # type: ignore[arg-type]
            ),
        ),
        "kernel",
    )


def test_rows_can_be_chosen(costs: Path) -> None:
    timeline = load_timeline([f"{costs}:retpoline=n"], Wanted("kernel"))
    assert timeline.points == ("v5.4", "v5.5")
    assert [s.name for s in timeline.series] == ["length=0"]


def test_files_are_points_in_the_order_given(tmp_path: Path) -> None:
    for name, seconds in (("b", 2.0), ("a", 1.0)):
        (tmp_path / f"{name}.csv").write_text(f"benchmark,seconds\nx,{seconds}\nx,{seconds + 1}\n")
    (tmp_path / "c.csv").write_text("benchmark,seconds\ny,7\n")
    files = [str(tmp_path / f"{name}.csv") for name in "bac"]
    assert load_timeline(files, Wanted()) == Timeline(
        ("b", "a", "c"),
        (
            PointSeries("x", (2.5, 1.5, None), spreads=(0.2, pytest.approx(1 / 3), None)),  # type: ignore[arg-type]
            PointSeries("y", (None, None, 7.0)),
        ),
    )


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("kernal", "unknown column: kernal; available: kernel, retpoline, length"),
        ("mean_ns", "unknown column: mean_ns"),
        (None, "one file is one point; name several, or --by COLUMN of a CSV file"),
    ],
)
def test_what_cannot_be_a_timeline(costs: Path, by: str | None, message: str) -> None:
    with pytest.raises(UserError, match=message):
        load_timeline([str(costs)], Wanted(by))


def test_a_column_goes_with_one_table(costs: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--by: works with a single CSV file"):
        load_timeline([str(costs), str(costs)], Wanted("kernel"))
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(UserError, match="--by kernel: works with a CSV file"):
        load_timeline([str(tmp_path / "x.json")], Wanted("kernel"))


def test_a_table_with_a_name_longer_than_names_can_be_is_refused() -> None:
    with pytest.raises(UserError, match="cannot be read: File name too long"):
        load_timeline(["x" * 300], Wanted("kernel"))


def test_processes_count_alike_however_many_values_they_have(tmp_path: Path) -> None:
    path = tmp_path / "times.csv"
    path.write_text("release,process,seconds\nr1,p,1\nr1,p,1\nr1,p,1\nr1,q,3\nr2,p,2\n")
    (series,) = load_timeline([str(path)], Wanted("release")).series
    assert series.values == (2.0, 2.0)
