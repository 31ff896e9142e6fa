"""What is written as pyperf JSON, pyperf reads."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.formats import examples
from tests.unit.report.example import sample_result

from whyfast.formats.load import load_recording
from whyfast.formats.pyperf import recordings_of, to_pyperf, write_recordings
from whyfast.model.errors import UserError
from whyfast.model.series import SECOND, Recording, Series


def recording(name: str, scale: float) -> Recording:
    values = tuple((0.1 * scale + i / 1000, 0.1 * scale) for i in range(5))
    return Recording(
        name=name,
        source=name,
        tool="go",
        series={"sort": Series("sort", SECOND, values)},
        metadata={"hostname": "lab", "cpu_count": "8", "python_compiler": ("GCC 13", "GCC 14")},
        started=1741193580.0,
    )


@pytest.mark.parametrize("name", sorted(examples.texts()))
def test_reading_back_gives_the_same_values(tmp_path: Path, name: str) -> None:
    path = tmp_path / "in"
    path.write_text(examples.texts()[name])
    first = load_recording(str(path))
    (written,) = write_recordings([first], tmp_path / "out")
    again = load_recording(str(written))
    assert {n: s.processes for n, s in again.series.items()} == {
        n: s.processes for n, s in first.series.items() if s.unit == SECOND
    }


def test_numbers_and_texts_of_metadata() -> None:
    metadata = to_pyperf(recording("a", 1))["metadata"]
    assert metadata == {"hostname": "lab", "cpu_count": 8, "python_compiler": "GCC 13; GCC 14"}


@pytest.mark.parametrize("count", ["nan", "inf", "many"])
def test_a_count_that_is_no_number_stays_text(tmp_path: Path, count: str) -> None:
    odd = replace(recording("a", 1), metadata={"cpu_count": count})
    (written,) = write_recordings([odd], tmp_path)
    assert json.loads(written.read_text())["metadata"] == {"cpu_count": count}


def test_names_of_files_cannot_leave_the_folder(tmp_path: Path) -> None:
    names = ["../../escaped", "../../escaped", ".hidden", "a b/c"]
    paths = list(write_recordings([recording(n, 1) for n in names], tmp_path / "out"))
    assert {p.parent for p in paths} == {tmp_path / "out"}
    assert len(set(paths)) == len(names)


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be created"):
        list(write_recordings([recording("a", 1)], tmp_path / "file" / "out"))


def test_blocks_of_a_result_become_processes() -> None:
    result = sample_result()
    recordings = recordings_of(result)
    assert {r.name for r in recordings} == {v for b in result.recorded.blocks for v in b.values}
    block = result.recorded.blocks[0]
    found = next(r for r in recordings if r.name == block.start_order[0])
    first = found.series[block.benchmark].processes[0]
    assert first == tuple(v / block.loops for v in block.values[found.name])


@pytest.mark.parametrize("command", [["compare_to"], ["check"], ["stats"], ["show"]])
def test_pyperf_itself_reads_it(tmp_path: Path, command: list[str]) -> None:
    pytest.importorskip("pyperf", reason="pyperf is not installed: its reading is not tested")
    paths = write_recordings([recording("old", 1), recording("new", 1.2)], tmp_path)
    files = [str(p) for p in paths][: 2 if command == ["compare_to"] else 1]
    done = subprocess.run(
        [sys.executable, "-m", "pyperf", *command, *files],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if command == ["compare_to"]:
        assert "1.20x slower" in done.stdout


def test_the_file_is_strict_json(tmp_path: Path) -> None:
    (path,) = write_recordings([recording("a", 1)], tmp_path)
    assert json.loads(path.read_text())["version"] == "1.0"
