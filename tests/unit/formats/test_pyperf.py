"""pyperf files of all ages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.golden_files import Hear
from tests.unit.formats import examples

from whyfast.model.series import Recording

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


def test_perf_0_9_is_read(read: Read) -> None:
    recording = read(examples.perf_0_9())
    assert recording.series["telco"].processes == ((0.022, 0.024),)
    assert recording.metadata["hostname"] == "old"


@pytest.mark.parametrize("version", [4, 5])
def test_the_formats_with_samples(read: Read, version: int) -> None:
    assert read(examples.perf_0_9() | {"version": version}).series["telco"].processes


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
