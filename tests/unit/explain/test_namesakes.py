"""Functions of one name in two programs, which are paired by what they do, and what belongs to
functions beside their code: tables of distances and of exceptions."""

import platform
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from whyfast.explain.same_code import same_code
from whyfast.model.code import CodeComparison

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64" or shutil.which("g++") is None, reason="needs g++ on x86-64"
)

KEPT = "static __attribute__((noinline)) int "
MAIN = "int one(int); int two(int);\nint main(int c, char **v) { return one(c) + two(c); }\n"
#: Two units, each with a function of its own behind one that both have.
UNITS = {
    "main.c": MAIN,
    "one.c": KEPT + "inner(int a) { return a * 77 ^ 5; }\n" + KEPT + "outer(int a) "
    "{ return inner(a) + 1; }\nint one(int a) { return outer(a) ^ 1; }\n",
    "two.c": KEPT + "inner(int a) { return a % 11; }\n" + KEPT + "outer(int a) "
    "{ return inner(a) + 1; }\nint two(int a) { return outer(a) ^ 2; }\n",
}


def built(folder: Path, units: Mapping[str, str], *flags: str) -> Path:
    folder.mkdir()
    for name, text in units.items():
        (folder / name).write_text(text)
    compiler = "g++" if any(name.endswith(".cc") for name in units) else "gcc"
    command = [compiler, "-O2", *flags, "-o", "program", *units]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "program"


def compared(
    folder: Path, base: Mapping[str, str], head: Mapping[str, str], *flags: str
) -> CodeComparison:
    return same_code(built(folder / "base", base, *flags), built(folder / "head", head, *flags))


def test_one_more_of_a_name_changes_none_of_the_others(tmp_path: Path) -> None:
    zero = UNITS["two.c"].replace("% 11", "% 13").replace("two", "zero")
    main = MAIN.replace("return", "extern int zero(int); return zero(c) +")
    found = compared(tmp_path, UNITS, {"zero.c": zero, **UNITS, "main.c": main})
    kinds = sorted((f.kind, f.name) for f in found.functions)
    assert kinds == [("added", "inner"), ("added", "outer"), ("added", "zero"), ("changed", "main")]
    assert found.traced


def test_which_copy_of_a_function_is_called_is_no_difference(tmp_path: Path) -> None:
    units = {"main.c": MAIN}
    for name, number in (("one", 1), ("two", 2)):
        units[f"{name}.c"] = (
            KEPT + "inner(int a) { return a * 77 ^ 5; }\n"
            f"int {name}(int a) {{ return inner(a) ^ {number}; }}\n"
        )
    unused = units["one.c"].replace("one", "unused")
    assert compared(tmp_path, units, {"unused.c": unused, **units}).same


@pytest.mark.parametrize(("text", "same"), [("% 11", True), ("% 13", False)])
def test_numbers_of_namesakes_are_no_difference(tmp_path: Path, text: str, same: bool) -> None:
    """As LLVM deals them out to functions of several units."""
    named = {
        name: text.replace(KEPT, KEPT + 'inner(int) __asm__("inner.8");\n' + KEPT, 1)
        for name, text in UNITS.items()
    }
    assert named != UNITS
    head = {n: t.replace("inner.8", "inner.15").replace("% 11", text) for n, t in named.items()}
    found = compared(tmp_path, named, head)
    assert [f.name for f in found.functions] == ([] if same else ["inner"])


TABLE = """\
asm(".section .rodata\\n.Lone: .string \\"one\\"\\n.Ltwo: .string \\"two\\"\\n"
    ".skip 0\\n.balign 4\\n.Ltable: .long .Lone - .Ltable, .Ltwo - .Ltable\\n.text\\n");
extern const int table[] __asm__(".Ltable");
__attribute__((noinline)) const char *pick(int i) { return (const char *)table + table[i & 1]; }
int main(int c, char **v) { return *pick(c); }
"""


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        (".skip 0", ".skip 64", True),
        ('two\\"', 'tow\\"', False),
        (".Lone - .Ltable", ".Ltwo - .Ltable", False),
        (".Lone - .Ltable", "4", False),
    ],
)
def test_a_table_of_distances_to_texts_is_compared_by_the_texts(
    tmp_path: Path, old: str, new: str, same: bool
) -> None:
    assert old in TABLE
    found = compared(tmp_path, {"main.c": TABLE}, {"main.c": TABLE.replace(old, new)})
    assert [f.name for f in found.functions] == ([] if same else ["pick"])


CATCHES = """\
void thrower(int);
__attribute__((noinline)) int catches(int a)
{
    try { thrower(a); } catch (int b) { return 3; }
    return a;
}
int main(int c, char **v) { return catches(c); }
"""
THROWER = "void thrower(int a) { if (a == 9) throw a; }\n"


@pytest.mark.parametrize("flags", [[], ["-fno-pie", "-no-pie"]], ids=["pie", "fixed"])
@pytest.mark.parametrize(
    ("more", "caught", "functions"),
    [
        ("int unused(int a) { try { thrower(a); } catch (long b) { a = 3; } return a; }\n", "", []),
        ("", "long", ["catches"]),
    ],
)
def test_what_a_function_catches_is_its_own(
    tmp_path: Path, more: str, caught: str, functions: list[str], flags: list[str]
) -> None:
    base = {"main.cc": CATCHES, "thrower.cc": THROWER}
    text = CATCHES.replace("catch (int", f"catch ({caught or 'int'}")
    text = text.replace("__attr", more + "__attr")
    found = compared(tmp_path, base, {**base, "main.cc": text}, *flags)
    assert [f.name.partition("(")[0] for f in found.reached] == functions
    assert found.reasons == ()
