from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyfast.measure.doctor.system import System, cpu_list, number, selected


@pytest.mark.parametrize(
    ("text", "cpus"),
    [
        ("0-2,5", (0, 1, 2, 5)),
        ("3", (3,)),
        ("", ()),
        (None, ()),
        ("(null)", ()),
        ("1, 3-4\n", (1, 3, 4)),
    ],
)
def test_lists_of_cpus(text: str | None, cpus: tuple[int, ...]) -> None:
    assert cpu_list(text) == cpus


@given(st.sets(st.integers(0, 500)))
def test_a_list_with_every_cpu_named_is_read_back(cpus: set[int]) -> None:
    assert cpu_list(",".join(map(str, cpus))) == tuple(sorted(cpus))


def test_the_selected_choice_is_the_one_in_brackets() -> None:
    assert selected("always [madvise] never") == "madvise"
    assert selected("performance") == "performance"
    assert selected(None) is None


def test_numbers() -> None:
    assert number("-1") == -1
    assert number("many") is None
    assert number(None) is None


def test_a_setting_that_the_kernel_lacks_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        System(tmp_path).write("boost", "0")
    assert not (tmp_path / "boost").exists()


def test_files_are_listed_as_people_count(tmp_path: Path) -> None:
    for name in ("cpu10", "cpu2", "cpu1"):
        (tmp_path / name).touch()
    assert System(tmp_path).names("cpu*") == ["cpu1", "cpu2", "cpu10"]


def test_what_cannot_be_read_is_none(tmp_path: Path) -> None:
    assert System(tmp_path).read("proc/loadavg") is None
