"""Debug files by build id and by the name and checksum that a program has of them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.unit.explain.objects.test_containers import needs_binutils

from whyfast.explain.code_diff import Listings
from whyfast.explain.objects.debug_info import build_id, debug_link, with_lines
from whyfast.explain.objects.elf import open_elf
from whyfast.explain.program import load
from whyfast.model.errors import UserError

SOURCE = """static int hidden(int a) { return a * 3; }
int (*volatile get)(int) = hidden;
int main(void) { return get(2); }
"""


def _separated(folder: Path, *flags: str) -> tuple[Path, Path]:
    """A stripped program, and its debug file in another folder."""
    folder.mkdir()
    (folder / "p.c").write_text(SOURCE)
    program, debug = folder / "p", folder / "debug" / "p.dbg"
    debug.parent.mkdir()
    subprocess.run(["gcc", "-O1", "-g", *flags, "-o", program, folder / "p.c"], check=True)
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["strip", program], check=True)
    return program, debug


def _sources(program: Path, folders: tuple[Path, ...] = ()) -> set[str]:
    listing = Listings(load(program, debug=folders)).of("hidden")
    return {line.source for line in listing.lines if line.source}


@needs_binutils
def test_lines_by_build_id_in_a_folder_that_is_named(tmp_path: Path) -> None:
    program, debug = _separated(tmp_path / "a", "-Wl,--build-id")
    own = build_id(open_elf(program))
    for tree in (tmp_path / "tree", tmp_path / "root" / ".build-id"):
        place = tree / own[:2] / f"{own[2:]}.debug"
        place.parent.mkdir(parents=True)
        shutil.copy(debug, place)
    for folder in (tmp_path / "tree", tmp_path / "root"):
        assert _sources(program, (folder,)) == {"p.c:1"}
    assert with_lines(program) == program  # nobody said where
    with pytest.raises(UserError, match="stripped"):
        load(program)


@needs_binutils
def test_a_link_by_name_holds_for_the_file_with_its_checksum(tmp_path: Path) -> None:
    program, debug = _separated(tmp_path / "a", "-Wl,--build-id=none")
    subprocess.run(["objcopy", f"--add-gnu-debuglink={debug}", program], check=True)
    link = debug_link(open_elf(program))
    assert link is not None
    assert link[0] == "p.dbg"
    assert _sources(program, (debug.parent,)) == {"p.c:1"}
    beside = program.parent / ".debug" / "p.dbg"
    beside.parent.mkdir()
    shutil.copy(debug, beside)
    assert _sources(program) == {"p.c:1"}
    with beside.open("ab") as file:
        file.write(b"another build")
    assert with_lines(program) == program


@needs_binutils
def test_a_program_with_lines_of_its_own_needs_none(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(SOURCE)
    subprocess.run(["gcc", "-O1", "-g", "-o", tmp_path / "p", tmp_path / "p.c"], check=True)
    assert with_lines(tmp_path / "p", (tmp_path,)) == tmp_path / "p"
    assert _sources(tmp_path / "p") == {"p.c:1"}
