"""``import whyfast``: flows as functions, and what they return."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import whyfast as wf
from whyfast.model.result import Result
from whyfast.store.home import Home

RNG = random.Random(4)
BASE = [RNG.gauss(1.0, 0.01) for _ in range(40)]
#: 5 % more each, next to each other; apart from each other they would overlap.
MORE = [1.05 * value * RNG.gauss(1.0, 0.001) for value in BASE]


def test_pairs_are_judged_side_by_side() -> None:
    (verdict,) = wf.judge(BASE, MORE, paired=True, names=("old", "new")).verdicts
    assert (verdict.variant, verdict.baseline, verdict.outcome) == ("new", "old", "slower")
    assert verdict.blocks == 40
    assert 1.048 < verdict.low < 1.05 < verdict.high < 1.052


def test_values_apart_have_a_wider_interval() -> None:
    (apart,) = wf.judge(BASE, MORE).verdicts
    (paired,) = wf.judge(BASE, MORE, paired=True).verdicts
    assert apart.outcome == "slower"
    assert apart.high - apart.low > 5 * (paired.high - paired.low)


@pytest.mark.parametrize(
    ("base", "other", "options", "where"),
    [
        ([1.0], [1.0, 1.0], {}, "baseline"),
        ([1.0, 1.0], [1.0, -1.0], {}, "variant"),
        ([1.0, 1.0], [1.0, float("nan")], {}, "variant"),
        ([1.0, 1.0], [1.0, 1.0, 1.0], {"paired": True}, "paired"),
        ([1.0, 1.0], [1.0, 1.0], {"margin": "a lot"}, "margin"),
        (["a", 1.0], [1.0, 1.0], {}, "baseline"),
        (1.0, [1.0, 1.0], {}, "baseline"),
    ],
)
def test_bad_values_are_named(
    base: Any, other: list[float], options: dict[str, Any], where: str
) -> None:
    with pytest.raises(wf.UserError) as error:
        wf.judge(base, other, **options)
    assert error.value.where == where


def test_a_report_is_saved_and_loaded(tmp_path: Path) -> None:
    report = wf.judge(BASE, MORE, paired=True)
    for suffix in (".json", ".html", ".md"):
        report.save(tmp_path / f"report{suffix}")
    loaded = wf.load(tmp_path / "report.json")
    assert loaded.verdicts == report.verdicts
    assert loaded.headline == report.headline
    assert "is 1.05" in (tmp_path / "report.md").read_text()
    assert (tmp_path / "report.html").read_text().lower().startswith("<!doctype html>")
    with pytest.raises(wf.UserError) as error:
        report.save(tmp_path / "report.txt")
    assert error.value.where == str(tmp_path / "report.txt")


def test_rows_and_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    report = wf.judge(BASE, MORE, paired=True)
    (row,) = report.rows()
    assert (row["benchmark"], row["outcome"], row["blocks"]) == ("values", "slower", 40)
    monkeypatch.setitem(sys.modules, "pandas", None)  # as where it is not installed
    monkeypatch.setitem(sys.modules, "polars", SimpleNamespace(DataFrame=tuple))
    assert report.to_frame() == (row,)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(wf.UserError):
        report.to_frame()


def test_a_notebook_shows_the_page_apart_from_its_own() -> None:
    html = wf.judge(BASE, MORE, paired=True)._repr_html_()
    assert html.startswith("<iframe srcdoc=")
    assert "<script" not in html  # escaped: it belongs to the frame


def test_a_series_of_values() -> None:
    values = [RNG.gauss(level, 0.01) for level in (1.0, 1.2) for _ in range(20)]
    report = wf.history({"parse": values}, points=[f"v{i}" for i in range(40)])
    (row,) = report.rows()
    assert (row["kind"], row["before"], row["at"]) == ("step", "v19", "v20")
    assert json.loads(report.to_json())["schema"].startswith("whyfast-history/")
    assert report.verdicts == ()
    with pytest.raises(wf.UserError) as error:
        wf.history({"a": [1.0], "b": [1.0, 2.0]})
    assert error.value.where == "series"
    with pytest.raises(wf.UserError) as error:
        wf.history({"a": [1.0, 1.0]}, points=["one"])
    assert error.value.where == "points"
    wrong: dict[Any, str] = {5: "series", ("nowhere.json",): "nowhere.json", "no.json": "no.json"}
    for series, where in wrong.items():
        with pytest.raises(wf.UserError) as error:
            wf.history(series)
        assert error.value.where == where
    with pytest.raises(wf.UserError) as error:
        wf.history({"a": [1.0, None, -1.0, 1.0, 1.0]})
    assert error.value.where == "a"


def test_files_of_other_tools(tmp_path: Path) -> None:
    for name, values in (("old", BASE), ("new", MORE)):
        lines = [f"sort,{i},{v!r}" for i, v in enumerate(values)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["benchmark,process,seconds", *lines]))
    (verdict,) = wf.compare(tmp_path / "old.csv", tmp_path / "new.csv").verdicts
    assert (verdict.benchmark, verdict.variant, verdict.outcome) == ("sort", "new", "slower")
    with pytest.raises(wf.UserError):  # two points are no series
        wf.history([tmp_path / "old.csv", tmp_path / "new.csv"])


def test_commands(own_home: Home) -> None:
    commands = {"quick": "sleep 0.002", "slow": "sleep 0.01"}
    report = wf.ab(commands, budget=20)
    (verdict,) = report.verdicts
    assert (verdict.variant, verdict.baseline, verdict.outcome) == ("slow", "quick", "slower")
    assert isinstance(report.result, Result)
    assert report.headline in str(report)
    with pytest.raises(wf.UserError):
        wf.ab(["./there-is-no-such-program", "true"])
    with pytest.raises(wf.UserError) as error:
        wf.ab("true")  # not its letters
    assert error.value.where == "commands"
    with pytest.raises(wf.UserError) as error:
        wf.why(wf.judge(BASE, MORE))
    assert error.value.where == "why"


def test_names_of_packages_are_functions_too() -> None:
    """Whichever is imported first."""
    code = (
        "import whyfast.judge.decide, whyfast.history.detect, whyfast as wf;"
        "print(callable(wf.judge), callable(wf.history), callable(wf.why), wf.judge.__module__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "True", "whyfast.api.library"]


def test_importing_is_cheap() -> None:
    code = "import sys, whyfast; print(*sorted(m for m in sys.modules if m.startswith('whyfast')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [
        *("whyfast", "whyfast.explain", "whyfast.history", "whyfast.judge", "whyfast.why")
    ]


def test_programs() -> None:
    report = wf.explain("/bin/true", "/bin/false")
    assert {row["program"] for row in report.rows()} == {"true", "false"}
    assert all(isinstance(row["size"], int) for row in report.rows())
    assert report.verdicts == ()
    assert json.loads(report.to_json())["schema"].startswith("whyfast-explain/")
    assert report.headline in str(report)
    for files, where in ((["/bin/true"], "files"), (["./no-such-program", "/bin/true"], None)):
        with pytest.raises(wf.UserError) as error:
            wf.explain(*files, diff=True)
        assert where in (error.value.where, None)
