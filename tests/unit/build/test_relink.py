"""A real program linked again: it answers the same, from other addresses."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from tests.unit.build.layout_example import ANSWER, STEP, linked_recipe

from whyfast.build.layout import CannotRelink
from whyfast.build.recipe import Recipe
from whyfast.build.relink import relink
from whyfast.build.run import build_all
from whyfast.model.build import Build
from whyfast.store.builds import BuildStore

pytestmark = pytest.mark.usefixtures("needs_gcc")


def _built(recipe: Recipe, store: BuildStore) -> Build:
    (build,) = build_all([recipe], store, lambda text: None)
    assert isinstance(build, Build), build
    return build


def _addresses(program: Path) -> dict[str, int]:
    with program.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        return {s.name: s["st_value"] for s in table.iter_symbols()}


def _answer(program: Path) -> bytes:
    return subprocess.run([program], capture_output=True, check=True).stdout


def test_layouts_answer_the_same_from_other_addresses(tmp_path: Path, store: BuildStore) -> None:
    recipe = linked_recipe(tmp_path)
    build = _built(recipe, store)
    layouts = relink(recipe, build, store, [11, 22, 33])
    assert [_answer(p) for p in (build.program, *layouts)] == [ANSWER] * 4
    places = [
        tuple(_addresses(p)[n] for n in ("main", "one", "two", "three"))
        for p in (build.program, *layouts)
    ]
    assert len(set(places)) == 4
    assert all(address % 16 == 0 for place in places[1:] for address in place)


def test_a_layout_is_made_once_and_to_the_byte_from_its_seed(
    tmp_path: Path, store: BuildStore
) -> None:
    recipe = linked_recipe(tmp_path)
    build = _built(recipe, store)
    (first,) = relink(recipe, build, store, [11])
    before = first.stat().st_mtime_ns, hashlib.sha256(first.read_bytes()).hexdigest()
    again, other = relink(recipe, build, store, [11, 22])
    assert again == first
    assert (first.stat().st_mtime_ns, hashlib.sha256(first.read_bytes()).hexdigest()) == before
    assert other.read_bytes() != first.read_bytes()

    first.unlink()
    relink(recipe, build, store, [11])
    assert hashlib.sha256(first.read_bytes()).hexdigest() == before[1]


def test_what_the_linker_says_is_in_the_log(tmp_path: Path, store: BuildStore) -> None:
    recipe = linked_recipe(tmp_path)
    build = _built(recipe, store)
    relink(recipe, build, store, [11])
    log = (store.folder(build.digest) / "log.txt").read_text()
    assert "-Wl,-T,whyfast-layouts/11/layout.ld" in log.splitlines()[-1]


def test_a_link_that_fails_for_a_layout_is_told(tmp_path: Path, store: BuildStore) -> None:
    link = "case {program} in vm) {cc} -o {program} main.o {layout};; *) exit 3;; esac"
    recipe = linked_recipe(tmp_path, link=link)
    with pytest.raises(CannotRelink, match=r"^linking layout 11 ended with exit code 3$"):
        relink(recipe, _built(recipe, store), store, [11])


def test_without_function_sections_there_is_nothing_to_place(
    tmp_path: Path, store: BuildStore
) -> None:
    recipe = linked_recipe(tmp_path, step=STEP.replace(" -ffunction-sections", ""))
    with pytest.raises(CannotRelink, match="compile with -ffunction-sections"):
        relink(recipe, _built(recipe, store), store, [11])
