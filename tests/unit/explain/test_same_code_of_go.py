"""Programs of Go that are the same but for lines and for where types, strings and functions lie."""

import os
import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from whyfast.explain.same_code import same_code
from whyfast.model.code import CodeComparison

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64" or shutil.which("go") is None, reason="needs go on x86-64"
)

SOURCE = """\
package main

import (
	"os"
	_ "unsafe"
)

// As in a program of tests.
var tests = []int{7}

//go:linkname start testing.MainStart
//go:noinline
func start() { println(len(tests)) }

type shape interface{ area() int }

type square struct {
	side int `unit:"m"`
	name string
}

func (s square) area() int { return s.side * s.side }

type circle struct{ r int }

func (c *circle) area() int { return 3 * c.r * c.r }

//go:noinline
func hot(all []shape) (n int) {
	for _, s := range all {
		n += s.area()
	}
	return n
}

type kept struct{ n int }

//go:noinline
func (k *kept) Lost() int { return k.n + 3 }

//go:noinline
func holder() interface{} { return &kept{len(os.Args)} }

//go:noinline
func switched(n int) int {
	switch n {
	case 0:
		return len(os.Args) + 5
	case 1, 2:
		println(n)
	case 3:
		return n << uint(len(os.Args))
	case 4:
		return n * 77
	case 5:
		println("five")
	case 6:
		return n / 3
	case 7:
		return -n
	case 8:
		return 2
	}
	return n
}

//go:noinline
func worded(n int) { println("the area is", n, "+", "-", "U", "%", "E") }

func main() {
	all := []shape{square{len(os.Args), "one"}, &circle{2}}
	var any interface{} = all[0]
	if named, ok := any.(square); ok && named.name == "never" {
		panic(named)
	}
	if k, ok := holder().(*kept); ok {
		println(k.Lost())
	}
	start()
	worded(hot(all) + switched(len(os.Args)))
}
"""


def built(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "main.go").write_text(text)
    (folder / "go.mod").write_text("module example.org/p\n\ngo 1.20\n")
    words = ["go", "build", "-trimpath", "-buildvcs=false", "-o", "program", "."]
    env = {**os.environ, "GOFLAGS": "", "GOPROXY": "off", "CGO_ENABLED": "0"}
    subprocess.run(words, cwd=folder, env=env, check=True)
    return folder / "program"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("go") / "base", SOURCE)


def compared(base: Path, folder: Path, *changes: tuple[str, str]) -> CodeComparison:
    text = SOURCE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return same_code(base, built(folder / "head", text))


def test_what_moves_lines_alone_is_no_change(base: Path, tmp_path: Path) -> None:
    comment = ("type shape", "// A comment.\n\n\ntype shape")
    unused = ("func main", 'func unused() string { return "text" }\n\nfunc main')
    found = compared(base, tmp_path, comment, unused)
    assert (found.same, found.functions, found.reasons) == (True, (), ())


def test_masks_of_pointers_behind_a_text_are_none_of_its_user(base: Path, tmp_path: Path) -> None:
    types = ""
    for mask in (0b1010110101, 0b1100101101, 0b1110010111, 0b1011100011, 0b1001101111):
        fields = "; ".join(f"f{i} {'*int' if mask >> i & 1 else 'int'}" for i in range(10))
        types += f"if named, ok := any.(*struct{{ {fields} }}); ok {{\n\t\tpanic(named)\n\t}}\n\t"
    named = "if named, ok := any.(square)"
    found = compared(base, tmp_path, (named, types + named))
    assert {f.name for f in found.reached} <= {"main.main"}


def test_cases_of_a_switch_may_move_with_their_function(base: Path, tmp_path: Path) -> None:
    longer = ("return s.side * s.side", "return s.side * s.side * len(s.name) / (s.side + 7)")
    found = {f.name for f in compared(base, tmp_path, longer).reached}
    assert found == {"main.square.area", "main.(*square).area"}


def test_a_method_that_nothing_calls_any_more_is_none_of_who_refers_to_its_type(
    base: Path, tmp_path: Path
) -> None:
    found = {f.name: f.kind for f in compared(base, tmp_path, ("k.Lost()", "k.n")).reached}
    assert found == {"main.main": "changed", "main.(*kept).Lost": "removed"}


def test_a_further_test_is_no_change_of_what_lists_tests(base: Path, tmp_path: Path) -> None:
    assert compared(base, tmp_path, ("int{7}", "int{7, 8}")).reached == ()


def test_functions_without_a_name_may_be_numbered_anew(tmp_path: Path) -> None:
    def text(*bodies: str) -> str:
        table = "".join(f"\tfunc(n int) int {{ {body} }},\n" for body in bodies)
        main = "func main() { for i, f := range table { println(f(i)) } }\n"
        return f"package main\n\nvar table = []func(int) int{{\n{table}}}\n\n{main}"

    old = ("return n / 3", "println(n); return 7", "return n << 2", "return n * n")
    base = built(tmp_path / "base", text(*old))
    head = built(tmp_path / "head", text(old[0], "return n ^ 5", *old[1:]))
    assert [(f.name, f.kind) for f in same_code(base, head).functions if "func" in f.name] == [
        ("main.init.func2", "added")
    ]


CODE = ("3 * c.r", "4 * c.r")
STRING = ("the area is", "the sum is")
TAG = ('unit:"m"', 'unit:"k"')


def test_what_the_source_says_otherwise_is_found_where_it_is_used(
    base: Path, tmp_path: Path
) -> None:
    found = compared(base, tmp_path, CODE, STRING, TAG)
    assert {"main.(*circle).area", "main.worded", "main.main"} <= {f.name for f in found.reached}
    assert len(found.reached) < 20
    assert not found.same
