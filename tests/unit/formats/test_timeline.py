"""Timelines of a table's column and of several files."""

import json
from pathlib import Path

import pytest

from whyfast.formats.timeline import Wanted, load_timeline, merged, order_notes
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
    with pytest.raises(UserError, match="--by kernel: expected a CSV file"):
        load_timeline([str(tmp_path / "x.json")], Wanted("kernel"))


def test_a_table_with_a_name_longer_than_names_can_be_is_refused() -> None:
    with pytest.raises(UserError, match="cannot be read: File name too long"):
        load_timeline(["x" * 300], Wanted("kernel"))


def test_processes_count_alike_however_many_values_they_have(tmp_path: Path) -> None:
    path = tmp_path / "times.csv"
    path.write_text("release,process,seconds\nr1,p,1\nr1,p,1\nr1,p,1\nr1,q,3\nr2,p,2\n")
    (series,) = load_timeline([str(path)], Wanted("release")).series
    assert series.values == (2.0, 2.0)


def write(path: Path, seconds: float, day: int, **metadata: str) -> str:
    run = {"values": [seconds], "metadata": {"date": f"2026-01-{day:02d}T00:00:00"}}
    benchmark = {"metadata": {"name": "x", "unit": "second"}, "runs": [run, run]}
    path.parent.mkdir(exist_ok=True)
    document = {"version": "1.0", "metadata": metadata, "benchmarks": [benchmark]}
    path.write_text(json.dumps(document))
    return str(path)


def test_what_files_say_is_kept_point_by_point(tmp_path: Path) -> None:
    files = [
        write(tmp_path / "b.json", 2.0, 1, platform="Linux-6.1", commit_id="aaaaaaa"),
        write(tmp_path / "a.json", 1.0, 2, platform="Linux-6.12", commit_id="bbbbbbb"),
    ]
    timeline = load_timeline(files, Wanted())
    assert timeline.points == ("b", "a")
    assert timeline.when == (1767225600.0, 1767312000.0)
    assert [f["platform"] for f in timeline.facts[""] if f] == ["Linux-6.1", "Linux-6.12"]


def test_order_of_runs_and_of_commits(tmp_path: Path) -> None:
    files = [
        write(tmp_path / "n.json", 1.0, 2, commit_date="2025-01-01"),
        write(tmp_path / "m.json", 1.0, 1, commit_date="2025-02-01"),
    ]
    assert load_timeline(files, Wanted(order="run")).points == ("m", "n")
    assert load_timeline(files, Wanted(order="commit")).points == ("n", "m")
    files.append(write(tmp_path / "o.json", 1.0, 3))
    with pytest.raises(UserError, match=r"o\.json: no date of the commit"):
        load_timeline(files, Wanted(order="commit"))


def test_the_same_commit_on_two_machines_is_one_point(tmp_path: Path) -> None:
    files = []
    for host, days in (("one", (1, 3)), ("two", (2, 4, 6))):
        for i, day in enumerate(days):
            commit = f"{'abc'[i]}" * 12
            path = tmp_path / f"{host}-{i}.json"
            files.append(write(path, day, day, hostname=host, commit_id=commit))
    timeline = load_timeline(files, Wanted(machine="hostname"))
    assert timeline.points == ("a" * 10, "b" * 10, "c" * 10)
    assert timeline.machines == ("one", "two")
    assert [(s.name, s.values) for s in timeline.series] == [
        ("x on one", (1.0, 3.0, None)),
        ("x on two", (2.0, 4.0, 6.0)),
    ]
    assert timeline.facts["one"][2] is None


def test_folders_tell_machines_apart(tmp_path: Path) -> None:
    files = [write(tmp_path / d / f"{i}.json", 1.0, i, n=d) for d in "ab" for i in (1, 2)]
    timeline = load_timeline(files, Wanted(machine="folder"))
    assert (timeline.points, timeline.machines) == (("1", "2"), ("a", "b"))
    assert load_timeline(files, Wanted()).machines == ("",)
    with pytest.raises(UserError, match=r"no cpu .*; available: n, or folder"):
        load_timeline(files, Wanted(machine="cpu"))


def test_hosts_that_come_back_are_machines_and_others_are_not(tmp_path: Path) -> None:
    def files(hosts: list[str]) -> list[str]:
        return [write(tmp_path / f"{i}.json", 1.0, i + 1, hostname=h) for i, h in enumerate(hosts)]

    assert load_timeline(files(["a", "b"] * 5), Wanted()).machines == ("a", "b")
    assert load_timeline(files(["a", "b"] * 5), Wanted(machine="none")).machines == ("",)
    assert load_timeline(files([f"runner-{i}" for i in range(10)]), Wanted()).machines == ("",)


def test_orders_of_several_machines_become_one() -> None:
    assert merged([["a", "c", "e"], ["a", "b", "c", "d", "f"]]) == ["a", "b", "c", "d", "f", "e"]
    assert merged([["a", "b", "a"]]) == ["a", "b"]


def test_columns_of_the_points_are_on_record(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    rows = [
        f"{commit},{day},{kernel},{bench},{i}"
        for i, (commit, day, kernel) in enumerate(
            [("c2", "2026-01-02", "k1"), ("c1", "2026-01-01", "k1"), ("c3", "2026-01-03", "k2")], 1
        )
        for bench in ("p", "q")
    ]
    path.write_text("commit,day,kernel,benchmark,seconds\n" + "\n".join(rows))
    timeline = load_timeline([str(path)], Wanted("commit"))
    assert timeline.points == ("c2", "c1", "c3")
    assert [(s.name, s.values) for s in timeline.series] == [
        ("p", (1.0, 2.0, 3.0)),
        ("q", (1.0, 2.0, 3.0)),
    ]
    assert timeline.facts[""][2] == {"day": "2026-01-03", "kernel": "k2"}
    assert timeline.when == (1767312000.0, 1767225600.0, 1767398400.0)
    assert load_timeline([str(path)], Wanted("commit", "run")).points == ("c1", "c2", "c3")


def test_a_column_of_machines(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("rev,host,seconds\nr1,a,1\nr2,a,2\nr1,b,3\nr3,b,4\n")
    timeline = load_timeline([str(path)], Wanted("rev", machine="host"))
    assert timeline.points == ("r1", "r3", "r2")
    assert [(s.machine, s.values) for s in timeline.series] == [
        ("a", (1.0, None, 2.0)),
        ("b", (3.0, 4.0, None)),
    ]


def test_series_in_which_more_is_better(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("rev,benchmark,value\nr1,ops,1\nr2,ops,2\nr1,wait,3\nr2,wait,4\n")
    timeline = load_timeline([str(path)], Wanted("rev", higher=("op*",)))
    assert [(s.name, s.higher) for s in timeline.series] == [("ops", True), ("wait", False)]
    with pytest.raises(UserError, match=r"--higher z\*: no series matches"):
        load_timeline([str(path)], Wanted("rev", higher=("z*",)))


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["v1.1", "v1.10", "v1.2"], "v1.10 stands before v1.2: "),
        (["v1.1", "v1.2", "v1.10"], ""),
        (["3.9.10", "3.10", "3.11"], ""),  # of which nobody can tell
        (["a10f", "a2bc", "b1"], ""),  # hashes
    ],
)
def test_names_that_are_sorted_as_text_are_told(names: list[str], said: str) -> None:
    (note, *_) = order_notes(names, ()) or ("",)
    assert note.startswith(said)
    assert bool(note) == bool(said)
    assert order_notes(names, [1.0, 2.0, 3.0]) == ()


def test_files_in_the_order_of_a_shell_are_told_unless_their_dates_agree(tmp_path: Path) -> None:
    def notes(days: tuple[int, ...], wanted: Wanted) -> tuple[str, ...]:
        names = ("v1", "v10", "v2")
        files = [
            write(tmp_path / f"{name}.json", 1.0, day)
            for name, day in zip(names, days, strict=True)
        ]
        return load_timeline(files, wanted).notes

    assert "v10 stands before v2" in notes((1, 3, 2), Wanted())[0]
    assert notes((1, 2, 3), Wanted()) == ()
    assert notes((1, 3, 2), Wanted(order="run")) == ()
