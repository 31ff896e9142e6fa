"""Two objects linked into one, and what is read of objects, with real tools."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.compiled import compile_text
from tests.golden_files import Hear, refusal

from whyfast.build.mixed import CannotMix, mix_object
from whyfast.build.units import CannotRead, Unit, find_units, read_graph

pytestmark = pytest.mark.skipif(
    not all(shutil.which(t) for t in ("gcc", "ld", "objcopy")), reason="needs gcc and binutils"
)

SOURCE = """
static int seen;
static int helper(int n) { return n * VALUE; }
int one(int n) { return helper(n) + 1; }
int two(int n) { return helper(n) + 2; }
int count(void) { return ++seen; }
int counted(void) { return seen; }
"""
MAIN = """
#include <stdio.h>
int one(int), two(int), count(void), counted(void);
int main(void) {
    count();
    printf("%d %d %d\\n", one(1), two(1), counted());
    return 0;
}
"""


def _compile(folder: Path, name: str, source: str, *flags: str) -> Path:
    apart = ("-O1", "-fno-inline", "-ffunction-sections", "-fdata-sections", *flags)
    return compile_text(source, folder / f"{name}.o", *apart, "-c", name=f"{name}.c")


@pytest.mark.parametrize(
    ("taken", "printed"),
    [
        ((), "11 12 1"),
        (("one",), "101 12 1"),
        (("two",), "11 102 1"),
        (("one", "two"), "101 102 1"),
    ],
)
def test_each_symbol_has_one_object(tmp_path: Path, taken: tuple[str, ...], printed: str) -> None:
    good = _compile(tmp_path, "good", SOURCE, "-DVALUE=10")
    bad = _compile(tmp_path, "bad", SOURCE, "-DVALUE=100")
    main = _compile(tmp_path, "main", MAIN)
    graphs = read_graph(good), read_graph(bad)
    assert find_units(*graphs) == (
        Unit(("one",), ("one",), ("helper",)),
        Unit(("two",), ("two",), ("helper",)),
    )
    mix_object(good, bad, taken, graphs[0].symbols, tmp_path / "mixed.o")
    subprocess.run(["gcc", main, tmp_path / "mixed.o", "-o", tmp_path / "program"], check=True)
    said = subprocess.check_output([tmp_path / "program"], text=True)
    assert said.strip() == printed


@pytest.mark.parametrize(
    "source",
    [
        "__attribute__((weak)) int f(void) { return 1; }",
        "static int x; __attribute__((constructor)) static void f(void) { x++; }",
        'int x __attribute__((section("things"))) = 1;',
    ],
)
def test_what_cannot_be_had_apart(tmp_path: Path, source: str, golden: Hear) -> None:
    golden(refusal(CannotRead, lambda: read_graph(_compile(tmp_path, "given", source))))


def test_only_objects_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.o").write_text("no object")
    with pytest.raises(CannotRead, match=r"not an ELF object file: a\.o"):
        read_graph(tmp_path / "a.o")


def test_the_linker_says_what_is_wrong(tmp_path: Path) -> None:
    good = _compile(tmp_path, "good", SOURCE, "-DVALUE=10")
    (tmp_path / "b.o").write_text("no object")
    with pytest.raises(CannotMix, match="objcopy: "):
        mix_object(good, tmp_path / "b.o", (), ("one",), tmp_path / "mixed.o")
