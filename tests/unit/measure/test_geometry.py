from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tests.golden_files import Hear

from whyfast.measure.doctor.system import System
from whyfast.measure.simulate import Cache, Geometry, read_geometry, simulable, valgrind_options


def _machine(root: Path, *caches: tuple[int, str, str, str, str]) -> System:
    for i, values in enumerate(caches):
        folder = root / f"sys/devices/system/cpu/cpu0/cache/index{i}"
        folder.mkdir(parents=True)
        names = ("level", "type", "size", "ways_of_associativity", "coherency_line_size")
        for name, value in zip(names, values, strict=True):
            (folder / name).write_text(f"{value}\n")
    return System(root)


def test_the_caches_of_a_machine(tmp_path: Path) -> None:
    system = _machine(
        tmp_path,
        (1, "Data", "48K", "12", "64"),
        (1, "Instruction", "64K", "16", "64"),
        (2, "Unified", "2048K", "16", "64"),
        (3, "Unified", "480M", "16", "64"),
    )
    assert read_geometry(system) == Geometry(
        Cache("L1i", 65536, 16, 64), Cache("L1d", 49152, 12, 64), Cache("L3", 480 << 20, 16, 64)
    )


def test_where_the_second_level_is_the_last(tmp_path: Path) -> None:
    system = _machine(tmp_path, (1, "Unified", "32K", "0", "64"), (2, "Unified", "1M", "16", "64"))
    geometry = read_geometry(system)
    assert geometry.l1i == geometry.l1d == Cache("L1", 32768, 512, 64)
    assert geometry.last == Cache("L2", 1 << 20, 16, 64)


def test_where_the_kernel_tells_nothing(tmp_path: Path) -> None:
    assert read_geometry(System(tmp_path)) == Geometry()
    options, notes = valgrind_options(Geometry())
    assert options == []
    assert len(notes) == 3


def test_a_cache_that_valgrind_takes_as_it_is() -> None:
    assert valgrind_options(Geometry(*[Cache("L1i", 32768, 8, 64)] * 3)) == (
        ["--I1=32768,8,64", "--D1=32768,8,64", "--LL=32768,8,64"],
        [],
    )


def test_a_number_of_sets_that_is_no_power_of_two(golden: Hear) -> None:
    made, note = simulable(Cache("L3", 480 << 20, 16, 64))
    assert made == Cache("L3", 480 << 20, 30, 64)
    golden(note)


@given(st.integers(64, 1 << 30), st.integers(1, 64), st.integers(1, 512))
def test_what_is_simulated_is_always_valid_and_never_much_smaller(
    size: int, ways: int, line: int
) -> None:
    made, _ = simulable(Cache("L1i", size, ways, line))
    for power in (made.sets, made.line):
        assert power & (power - 1) == 0
    assert made.line >= 16
    assert made.size == made.sets * made.ways * made.line
    assert made.size > made.line
    if size > 4 * max(line, 16) * ways:
        assert size / 2 < made.size <= size
