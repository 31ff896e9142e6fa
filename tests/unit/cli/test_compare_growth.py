"""``compare`` takes time in proportion to the number of benchmarks."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from whyfast.cli.main import main
from whyfast.investigate import compare_run


def files(folder: Path, number: int) -> list[str]:
    source = random.Random(1)
    paths = []
    for name in ("a", "b"):
        rows = [
            f"b{b},{p},{1000 * source.gauss(1, 0.01):.3f}\n"
            for b in range(number)
            for p in range(2)
        ]
        path = folder / f"{name}{number}.csv"
        path.write_text("benchmark,process,mean_ns\n" + "".join(rows))
        paths.append(str(path))
    return paths


def steps(words: list[str]) -> int:
    """Lines of whyfast that are run, each turn of a loop counted: no clock has a say in it."""
    count = 0

    def line(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return line

    def call(frame: FrameType, event: str, argument: Any) -> Any:
        return line if "whyfast" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        assert main(words) == 0
    finally:
        sys.settrace(before)
    return count


def test_four_times_the_benchmarks_take_four_times_the_steps(tmp_path: Path) -> None:
    out = ["--json", str(tmp_path / "x.json"), "--html", str(tmp_path / "x.html")]
    few = steps(["compare", *files(tmp_path, 100), *out])  # what is done once is in both
    some = steps(["compare", *files(tmp_path, 200), *out])
    many = steps(["compare", *files(tmp_path, 400), *out])
    assert (many - some) / (some - few) < 2.4


def test_too_many_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compare_run, "MOST_COMPARISONS", 9)
    assert main(["compare", *files(tmp_path, 10)]) == 2
    said = capsys.readouterr().err
    assert said == (
        "whyfast: 10 comparisons are more than 9; choose with --benchmark, or compare fewer files "
        "at once\n"
    )
