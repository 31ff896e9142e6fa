"""Sizes with known answers: a table that is added, an unrolled loop, a template used often."""

import platform
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.unit.explain.conftest import Compile

from whyfast.explain.sizes import Sizes, family, size_changes, size_costs, sizes_of
from whyfast.model.cost import SizeChange

SOURCE = """\
#include <stdlib.h>
#ifdef TABLE
static const unsigned short pop[4096] = {[1] = 1, [4095] = 12};
#endif
__attribute__((noinline)) unsigned long parse(unsigned long n)
{
    unsigned long s = 0;
#ifdef UNROLL
#pragma GCC unroll 32
#endif
    for (unsigned long i = 0; i < n; i++)
        s = s * 3 + (i ^ (s >> 7));
#ifdef TABLE
    s += pop[s & 4095];
#endif
    return s;
}
int main(int c, char **v) { return (int)parse(c > 1 ? atol(v[1]) : 1000) & 1; }
"""
on_elf = pytest.mark.skipif(platform.system() != "Linux", reason="needs ELF")


def _sizes(*paths: Path) -> dict[str, Sizes]:
    return {str(i): sizes_of({"p": path}) for i, path in enumerate(paths)}


def _changes(sizes: dict[str, Sizes], of: str) -> dict[str, int]:
    return {c.name: c.more for c in size_changes(sizes, [("1", "0")]) if c.of == of}


@on_elf
def test_a_table_is_read_only_data_of_its_size(gcc: Compile) -> None:
    sizes = _sizes(gcc(SOURCE, "-O2"), gcc(SOURCE, "-O2", "-DTABLE"))
    assert _changes(sizes, "data") == {"pop": 8192}
    more = sizes["1"].totals["rodata"] - sizes["0"].totals["rodata"]
    assert 8192 <= more < 8192 + 64  # and its alignment
    assert sizes["1"].totals["data"] == sizes["0"].totals["data"]


@on_elf
def test_of_a_large_file_there_are_sections_alone(gcc: Compile) -> None:
    path = gcc(SOURCE, "-O2")
    whole, part = sizes_of({"p": path}), sizes_of({"p": path}, largest=path.stat().st_size - 1)
    assert (part.totals, part.parts["section"]) == (whole.totals, whole.parts["section"])
    assert (bool(whole.parts["function"]), bool(part.parts["function"])) == (True, False)
    assert part.loads == whole.loads


@on_elf
def test_an_unrolled_loop_is_in_its_function(gcc: Compile) -> None:
    sizes = _sizes(gcc(SOURCE, "-O2", "-g"), gcc(SOURCE, "-O2", "-g", "-DUNROLL"))
    functions = _changes(sizes, "function")
    assert list(functions) == ["parse"]
    assert functions["parse"] > 200
    # Nothing else has changed, so section and source file have grown by as much.
    assert _changes(sizes, "section")[".text"] == functions["parse"]
    assert sum(_changes(sizes, "source").values()) == functions["parse"]
    code = sizes["1"].totals["code"] - sizes["0"].totals["code"]
    assert code == functions["parse"]


@on_elf
@pytest.mark.skipif(
    shutil.which("g++") is None or shutil.which("c++filt") is None, reason="needs g++ and c++filt"
)
def test_instances_of_a_template_are_one_row(tmp_path: Path) -> None:
    source = """\
template <int N> __attribute__((noinline, noclone)) long apply(long x)
{
    for (int i = 0; i < N; i++) x = x * (N + 3) ^ i;
    return x;
}
template <int N> struct Sum { static long of(long x) { return apply<N>(x) + Sum<N - 1>::of(x); } };
template <> struct Sum<0> { static long of(long x) { return x; } };
int main(int c, char **) { return (int)Sum<COUNT>::of(c) & 1; }
"""
    (tmp_path / "t.cc").write_text(source)
    paths = []
    for count in (1, 40):
        paths.append(tmp_path / f"t{count}")
        words = ["g++", "-O2", f"-DCOUNT={count}", "-o", str(paths[-1]), str(tmp_path / "t.cc")]
        subprocess.run(words, check=True)
    (change,) = [
        c
        for c in size_changes(_sizes(*paths), [("1", "0")])
        if c.of == "function" and c.name.startswith("apply")
    ]
    assert (change.name, change.number) == ("apply<…>", 40)
    assert change.more > 20 * change.before


@on_elf
def test_what_is_stripped_has_sizes_of_sections(gcc: Compile) -> None:
    sizes = _sizes(gcc(SOURCE, "-O2", "-s"), gcc(SOURCE, "-O2", "-s", "-DUNROLL"))
    assert sizes["1"].totals["code"] > sizes["0"].totals["code"]
    assert _changes(sizes, "section")[".text"] > 200


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("void apply<int>(int)", "apply<…>"),
        ("core::ptr::drop_in_place<alloc::vec::Vec<u8>>", "core::ptr::drop_in_place<…>"),
        ("<T as Trait>::method", "<…>::method"),
        ("(anonymous namespace)::g<int>(char)", "{anonymous}::g<…>"),
        ("foo<fn(u8) -> u8>", "foo<…>"),
        ("f(int)", "f(int)"),
        ("parse", "parse"),
    ],
)
def test_families_of_functions(name: str, expected: str) -> None:
    assert family(name) == expected


def test_what_differs_most_is_kept_the_largest_growth_first() -> None:
    old, new = Sizes(), Sizes()
    for i in range(20):
        old.parts["function"][f"f{i}"] = 100
        new.parts["function"][f"f{i}"] = 100 + i * (-1) ** i
    new.totals["size"] = 5
    changes = size_changes({"a": old, "b": new}, [("b", "a")])
    assert [c.more for c in changes] == [18, 16, 14, 12, 10, -11, -13, -15, -17, -19]
    assert changes[0] == SizeChange("b", "a", "function", "f18", 100, 118)
    assert {(c.key, c.variant): c.value for c in size_costs({"b": new})}["size", "b"] == 5
