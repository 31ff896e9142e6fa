"""Layouts: drawn from a seed, and nothing else."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.unit.build.layout_example import PROGRAM

from whyfast.build.layout import (
    FIRST_GAP,
    GAP,
    STEP,
    CannotRelink,
    function_sections,
    layout_script,
    layout_seeds,
    make_layouts,
)

NAMES = [f".text.f{i}" for i in range(50)]


def _placed(script: str) -> list[tuple[int, str]]:
    """The gap in front of each section, in the order of the script."""
    return [(int(g), n) for g, n in re.findall(r"\. = \. \+ (\d+); \*\((\S+)\)", script)]


def test_equal_seeds_make_equal_scripts_and_others_do_not() -> None:
    assert layout_script(NAMES, 7) == layout_script(NAMES, 7)
    assert len({layout_script(NAMES, seed) for seed in range(20)}) == 20


def test_a_script_places_each_section_once_with_gaps_that_keep_alignment() -> None:
    script = layout_script(NAMES, 7)
    placed = _placed(script)
    names = [name for _, name in placed]
    assert sorted(names) == sorted(NAMES)
    assert names != NAMES
    gaps = [gap for gap, _ in placed]
    assert all(gap % STEP == 0 for gap in gaps)
    assert gaps[0] < FIRST_GAP
    assert max(gaps[1:]) < GAP
    assert len(set(gaps)) > 5
    assert script.startswith("SECTIONS\n{\n  .text.whyfast : {\n")
    assert script.endswith("INSERT BEFORE .text;\n")


def test_over_seeds_every_section_comes_first_and_the_first_gap_covers_a_page() -> None:
    first = [_placed(layout_script(NAMES[:4], seed))[0] for seed in range(400)]
    assert {name for _, name in first} == set(NAMES[:4])
    assert len({gap // 64 for gap, _ in first}) == 64


def test_seeds_are_the_same_at_every_run_and_shared_by_no_two_variants() -> None:
    assert layout_seeds("base", 8) == layout_seeds("base", 8)
    assert layout_seeds("base", 8) == layout_seeds("base", 12)[:8]
    assert not {*layout_seeds("base", 50)} & {*layout_seeds("other", 50)}
    assert len({*layout_seeds("base", 200)}) == 200


@pytest.mark.usefixtures("needs_gcc")
def test_functions_are_found_where_they_have_sections_of_their_own(tmp_path: Path) -> None:
    source, apart, whole = (tmp_path / n for n in ("main.c", "apart.o", "whole.o"))
    source.write_text(PROGRAM)
    compile_ = ["gcc", "-O1", "-c", str(source), "-o"]
    subprocess.run([*compile_, str(apart), "-ffunction-sections"], check=True)
    subprocess.run([*compile_, str(whole)], check=True)
    (tmp_path / "bitcode.o").write_bytes(b"BC\xc0\xde")
    found = [".text.main", ".text.one", ".text.three", ".text.two"]
    assert function_sections([apart, tmp_path / "bitcode.o", tmp_path / "gone.o"]) == found
    assert function_sections([apart, apart, whole]) == found
    assert function_sections([whole]) == []


def _make(work: Path, seeds: Sequence[int] = (1,)) -> list[Path]:
    return make_layouts(work, lambda layout, program: "", lambda step: 0, "vm", seeds)


def test_objects_without_function_sections_are_refused_with_the_flag_that_helps(
    tmp_path: Path,
) -> None:
    with pytest.raises(CannotRelink) as caught:
        _make(tmp_path)
    assert str(caught.value) == (
        "its objects have no function sections to place; compile with -ffunction-sections "
        "and keep the .o files"
    )
