"""pyperf's JSON, in and out."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.golden_files import Hear
from tests.unit.formats import examples

from whyfast.formats.load import load_recording
from whyfast.formats.pyperf import to_pyperf, write_recordings
from whyfast.model.errors import UserError
from whyfast.model.sample import SECOND, Recording, Series

Read = Callable[[object], Recording]
Refusal = Callable[[object], str]


def test_runs_become_processes_and_warmups_are_left_out(read: Read) -> None:
    recording = read(examples.pyperf())
    assert recording.tool == "pyperf"
    assert recording.series["nbody"].processes == ((0.061, 0.062), (0.063, 0.064))
    assert recording.series["json"].processes == ((0.007,),)


def test_metadata_is_that_of_the_whole_file(read: Read) -> None:
    recording = read(examples.pyperf())
    assert recording.metadata == {"hostname": "lab", "cpu_count": "8", "load_avg_1min": 1.0}
    assert recording.started == 1741193579.252714  # 2025-03-05 16:52:59 as UTC
    assert recording.ended == 1741193581.015654


def test_a_key_with_several_values_keeps_them(read: Read) -> None:
    data = examples.pyperf()
    data["benchmarks"][0]["metadata"]["compiler"] = "GCC 14"
    data["benchmarks"][1]["metadata"]["compiler"] = "GCC 13"
    assert read(data).metadata["compiler"] == ("GCC 14", "GCC 13")


@pytest.mark.parametrize("version", [4, 5])
def test_the_formats_with_samples(read: Read, version: int) -> None:
    recording = read(examples.perf_0_9() | {"version": version})
    assert recording.series["telco"].processes == ((0.022, 0.024),)
    assert recording.metadata["hostname"] == "old"


@pytest.mark.parametrize("version", [6, 7, "1.0", 1.0])
def test_the_formats_with_values(read: Read, version: object) -> None:
    assert read(examples.pyperf(version=version)).series["json"].processes == ((0.007,),)


@pytest.mark.parametrize("version", [3, "2.0", None, True, [1]])
def test_other_formats_are_refused(refusal: Refusal, version: object) -> None:
    assert "version" in refusal(examples.pyperf(version=version))


def test_a_benchmark_without_values_is_named(read: Read, golden: Hear) -> None:
    data = examples.pyperf()
    data["benchmarks"][1]["runs"] = []
    recording = read(data)
    assert list(recording.series) == ["nbody"]
    golden(*recording.left_out)


def test_the_unit_is_kept(read: Read) -> None:
    data = examples.pyperf(metadata={"unit": "byte"})
    assert read(data).series["nbody"].unit == "byte"


@pytest.mark.parametrize("bad", [0, -1.5, "1", None, [0.1], True, 10**400, 1e308, 1e-320])
def test_a_bad_value_is_named_with_its_place(refusal: Refusal, bad: object) -> None:
    data = examples.pyperf()
    data["benchmarks"][0]["runs"][1]["values"][1] = bad
    assert "benchmarks[0].runs[1].values[1]" in refusal(data)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda d: d["benchmarks"].append(d["benchmarks"][0]), "duplicate benchmark: nbody"),
        (lambda d: d["benchmarks"].clear(), "no benchmark with a value"),
        (lambda d: d["benchmarks"][0]["metadata"].pop("name"), "no name"),
        (lambda d: d["benchmarks"][0].pop("runs"), "runs is missing"),
        (lambda d: d["metadata"].update(unit="parsec"), "unknown unit: parsec"),
        (lambda d: d["benchmarks"][0]["runs"][1]["metadata"].update(date="now"), "not a date: now"),
    ],
)
def test_nonsense_is_refused(refusal: Refusal, spoil: Callable[[Any], None], said: str) -> None:
    data = examples.pyperf()
    spoil(data)
    assert said in refusal(data)


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
    document = json.loads(written.read_text())
    assert (document["version"], document["metadata"]) == ("1.0", {"cpu_count": count})


def test_names_of_files_cannot_leave_the_folder(tmp_path: Path) -> None:
    names = ["../../escaped", "../../escaped", ".hidden", "a b/c"]
    paths = list(write_recordings([recording(n, 1) for n in names], tmp_path / "out"))
    assert {p.parent for p in paths} == {tmp_path / "out"}
    assert len(set(paths)) == len(names)


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be created"):
        list(write_recordings([recording("a", 1)], tmp_path / "file" / "out"))


@pytest.mark.parametrize("command", [["compare_to"], ["check"], ["stats"], ["show"]])
def test_pyperf_itself_reads_it(tmp_path: Path, command: list[str]) -> None:
    pytest.importorskip("pyperf", reason="pyperf is not installed: its reading is not tested")
    paths = write_recordings([recording("old", 1), recording("new", 1.2)], tmp_path)
    files = [str(p) for p in paths][: 2 if command == ["compare_to"] else 1]
    words = [sys.executable, "-m", "pyperf", *command, *files]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    if command == ["compare_to"]:
        assert "1.20x slower" in done.stdout
