"""Files into the store, and a history of what is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from whyfast.cli.main import main


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("WHYFAST_HOME", str(tmp_path / "home"))
    made = []
    for day in range(1, 11):
        value = (1.0 if day < 6 else 2.0) * (1 + 0.003 * (day * 7 % 5))
        run = {"values": [value], "metadata": {"date": f"2026-01-{day:02d}T00:00:00"}}
        benchmark = {"metadata": {"name": "x", "unit": "second"}, "runs": [run]}
        metadata = {"commit_id": f"{day:02d}abcdef", "platform": f"Linux-{day // 6}"}
        path = tmp_path / f"day{day:02d}.json"
        path.write_text(
            json.dumps({"version": "1.0", "metadata": metadata, "benchmarks": [benchmark]})
        )
        made.append(str(path))
    return made


def test_imported_files_are_a_history(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", *files[4:], "--study", "mine"]) == 0
    assert main(["import", *files, "--study", "mine"]) == 0
    assert capsys.readouterr().out == (
        "kept 6 files as 6 results of mine\n"
        "kept 4 files as 4 results of mine; 6 were there already\n"
    )
    assert main(["history", "mine", "--fail-on", "slower"]) == 3
    said = capsys.readouterr().out
    assert said.startswith("Step day05 → day06: 2.00x slower, with another kernel.\n")
    assert "whyfast search mine --good 05abcdef --bad 06abcdef --benchmark x\n" in said
    assert main(["history", "mine", "--fail-on", "faster"]) == 0
    assert main(["report", "mine"]) == 0
    assert "1 benchmark, imported; `whyfast history` shows" in capsys.readouterr().out
