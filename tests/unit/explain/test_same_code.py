"""Programs and builds that are the same but for addresses."""

import platform
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.compiled import compile_text

from whyfast.explain.same_builds import same_builds
from whyfast.explain.same_code import same_code
from whyfast.model.code import CodeComparison

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64" or shutil.which("gcc") is None, reason="needs gcc on x86-64"
)

SOURCE = """\
#include <stdio.h>
#include <stdlib.h>
static int table[4] = {1, 2, 3, 4};
static const char *const names[] = {"one", "two"};
__attribute__((noinline)) static int hot(int n, int k)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        switch (k) {
        case 0: s += i; break;
        case 1: s ^= i * 3; break;
        case 2: s -= 7; break;
        case 3: s += table[i & 3]; break;
        case 4: s *= 3; break;
        case 5: s += 99; break;
        default: s++;
        }
        k = (k + s) & 7;
    }
    return s;
}
int main(int c, char **v)
{
    printf("hello %d %s\\n", hot(c > 1 ? atoi(v[1]) : 1000, c), names[c & 1]);
    return 0;
}
"""
NEW = "int main("
#: Extra functions that nothing calls: without data, with a string, and a long one.
UNUSED = "int unused(int a) { return a * 77; }\n"
STRING = 'int unused(int a) { return a > 3 ? puts("a new text") : 0; }\n'
LONG = (
    "int filler(int a)\n{\n    int r = 0;\n" + "    r += r * a ^ 91;\n" * 200 + "    return r;\n}\n"
)

SWAPPED = (("case 5", "default"), ("default", "case 5"))

#: How each is compiled: tables of distances, of addresses, and code without optimisation.
FLAGS = {
    "O2": ["-O2"],
    "fixed": ["-O2", "-fno-pie", "-no-pie"],
    "O0": ["-O0"],
    "sections": ["-O2", "-ffunction-sections", "-fdata-sections", "-g"],
}


def compiled(folder: Path, text: str, flags: Sequence[str] = ("-O2",)) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "main.c").write_text(text)
    return compile_text(text, folder / "program", *flags, name="main.c")


def compared(
    folder: Path, text: str, flags: Sequence[str] = ("-O2",), base: str = SOURCE
) -> CodeComparison:
    before = compiled(folder / "base", base, flags)
    return same_code(before, compiled(folder / "head", text, flags))


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize("flags", FLAGS.values(), ids=FLAGS)
@pytest.mark.parametrize(
    "text",
    [
        SOURCE,
        "/* a comment */\n\n" + SOURCE,
        re.sub(r"(?<!%)\bs\b", "sum", SOURCE),
        changed(SOURCE, NEW, UNUSED + NEW),
        changed(SOURCE, NEW, STRING + NEW),
        changed(SOURCE, "__attribute__", LONG + "__attribute__"),
    ],
    ids=["equal", "comment", "renamed", "unused", "string", "long"],
)
def test_what_moves_only_is_the_same(tmp_path: Path, text: str, flags: list[str]) -> None:
    found = compared(tmp_path, text, flags)
    assert (found.same, found.reasons, found.reached) == (True, (), ())


def test_equal_bytes_are_identical(tmp_path: Path) -> None:
    assert compared(tmp_path, SOURCE).identical


@pytest.mark.parametrize("flags", FLAGS.values(), ids=FLAGS)
@pytest.mark.parametrize(
    ("old", "new", "function"),
    [
        ("s -= 7", "s -= 8", "hot"),
        (*(f"{x}: s += 99; break;\n        {y}: s++;" for x, y in SWAPPED), "hot"),
        ("{1, 2, 3, 4}", "{1, 2, 3, 5}", "hot"),
        ("hello", "hullo", "main"),
        ('"two"', '"too"', "main"),
        ("1000", "1001", "main"),
        ("atoi(", "system(", "main"),
    ],
    ids=["constant", "swapped", "data", "text", "behind a pointer", "argument", "library"],
)
def test_what_differs_is_found_in_the_function_that_uses_it(
    tmp_path: Path, old: str, new: str, function: str, flags: list[str]
) -> None:
    found = compared(tmp_path, changed(SOURCE, old, new), flags)
    assert not found.same
    assert function in [f.name for f in found.reached]
    assert found.traced


def test_the_difference_names_what_addresses_lead_to(tmp_path: Path) -> None:
    text = changed(SOURCE, "s -= 7", "s -= 8")
    (found,) = compared(tmp_path, text).functions
    assert found.name == "hot"
    assert [line for line in found.diff if line[0] in "+-"] == ["-sub ecx, 7", "+sub ecx, 8"]
    assert (found.calls, found.called) == ((), ())


def test_jumps_over_what_is_new_are_no_difference(tmp_path: Path) -> None:
    text = changed(SOURCE, "s += 99;", "s += 99; table[k & 3] += s;")
    (found,) = [f for f in compared(tmp_path, text).functions if f.name == "hot"]
    assert any("table" in line for line in found.diff)
    assert not any("+0x" in line for line in found.diff)


def test_jumps_that_lead_elsewhere_are_one(tmp_path: Path) -> None:
    code = (
        'asm(".globl f\\n.type f, @function\\nf: test %%edi, %%edi\\n je 1f\\n inc %%eax\\n"\n'
        '    " inc %%eax\\n1: inc %%eax\\n2: ret\\n.size f, .-f\\n");\n'
    ).replace("%%", "%")
    text = changed(code, "je 1f", "je 2f") + SOURCE
    (found,) = compared(tmp_path, text, base=code + SOURCE).functions
    assert [line for line in found.diff if line[0] in "+-"] == ["-je short +0x8", "+je short +0xa"]


def test_constants_of_a_function_may_be_numbered_anew(tmp_path: Path) -> None:
    function = (
        "__attribute__((noinline)) int %s(int a) "
        "{ static const int lut[] = {%s, 5, 6, 7}; return lut[a & 3]; }\n"
    )
    text = SOURCE.replace("hot(c > 1", "used(c) + hot(c > 1")
    base = compiled(tmp_path / "base", function % ("used", 4) + text)
    more = function % ("used", 4) + function % ("more", 9) + text
    assert same_code(base, compiled(tmp_path / "head", more)).reached == ()
    other = function % ("used", 9) + function % ("more", 4) + text
    found = same_code(base, compiled(tmp_path / "other", other))
    assert [f.name for f in found.reached] == ["used"]


ASSERTING = SOURCE.replace(
    "#include <stdlib.h>", "#include <stdlib.h>\n#include <assert.h>"
).replace("    int s = 0;", "    assert(n >= 0 &&\n           n < 99999);\n    int s = 0;")


@pytest.mark.parametrize("flags", [["-O2", "-g"], ["-O2", "-g", "-fno-pie", "-no-pie"]])
def test_numbers_of_lines_that_have_moved_are_no_difference(
    tmp_path: Path, flags: list[str]
) -> None:
    moved = "/*\n * More\n */\n" + ASSERTING
    assert compared(tmp_path, moved, flags, base=ASSERTING).same
    # A number that is none, though it differs by as much; and without source lines none is known.
    base, head = (
        text.replace("return 0;", f"return {n};") for text, n in ((ASSERTING, 1), (moved, 4))
    )
    assert [f.name for f in compared(tmp_path, head, flags, base=base).reached] == ["main"]
    assert not compared(tmp_path, moved, ["-O2"], base=ASSERTING).same


@pytest.mark.parametrize(
    ("file", "same"), [("main.rs", True), ("main.go", False)], ids=["Rust", "others"]
)
def test_lines_of_panics_of_rust_are_no_difference(tmp_path: Path, file: str, same: bool) -> None:
    """As core::panic::Location has them."""
    place = (
        "#include <stdio.h>\n"
        "struct place { const char *file; unsigned long size; unsigned at[2]; };\n"
        "__attribute__((noinline)) void fails(const struct place *p)\n"
        '{ printf("%s %u", p->file, p->at[0]); }\n'
        f'static const struct place here = {{"{file}", {len(file)}, {{12, 5}}}};\n'
        "int main(void) { fails(&here); return 0; }\n"
    )
    moved = place.replace("12, 5", "13, 9")
    assert compared(tmp_path, moved, base=place).same == same
    renamed = moved.replace(file, f"src/{file}").replace(f", {len(file)},", f", {len(file) + 4},")
    assert same_code(tmp_path / "base/program", compiled(tmp_path / "new", renamed)).same == same


@pytest.mark.parametrize(
    ("names", "same"),
    [
        (("_RNvNtCs8SdJ5lE7pcv_5bytes5bytes1T", "_RNvNtCsd7z8KjSQqm8_5bytes5bytes1T"), True),
        (("_ZN5bytes1T17h0123456789abcdefE", "_ZN5bytes1T17hfedcba9876543210E"), True),
        (("_ZN5bytes1T17h0123456789abcdefE.0", "_ZN5bytes1T17hfedcba9876543210E.0"), True),
        (("_RNvNtCs8SdJ5lE7pcv_5bytes5bytes1T", "_RNvNtCs8SdJ5lE7pcv_5bytes5bytes1U"), False),
    ],
)
def test_a_crates_version_in_the_names_of_its_data_is_no_difference(
    tmp_path: Path, names: tuple[str, str], same: bool
) -> None:
    texts = [
        f'extern int data[4] __asm__("{name}");\nint data[4] = {{1, 2, 3, 4}};\n'
        "int main(int c, char **v) { return data[c & 3]; }\n"
        for name in names
    ]
    assert compared(tmp_path, texts[1], base=texts[0]).same == same


def test_where_data_ends_is_no_change_of_what_the_linker_adds(tmp_path: Path) -> None:
    """``register_tm_clones`` is about the end of .data, where .bss begins or, aligned, does not."""
    before = changed(SOURCE, NEW, "volatile long written = 3;\n" + NEW)
    text = changed(before, NEW, "volatile long more = 4;\nstatic volatile int large[64];\n" + NEW)
    text = changed(text, "    printf(", "    large[c] = 1;\n    printf(")
    assert [f.name for f in compared(tmp_path, text, base=before).functions] == ["main"]


def test_a_call_that_is_new_is_named(tmp_path: Path) -> None:
    text = changed(SOURCE, "s -= 7;", "s -= rand();")
    found = {f.name: f for f in compared(tmp_path, text).functions}
    assert found["hot"].calls == ("rand",)


def test_a_function_that_only_a_table_leads_to_is_reached(tmp_path: Path) -> None:
    table = "static int called(int a) { return a + %s; }\nint (*volatile entry)(int) = called;\n"
    found = compared(tmp_path, table % "2" + SOURCE, base=table % "1" + SOURCE)
    assert not found.same
    assert [(f.name, f.reached) for f in found.functions] == [("called", True)]


def test_another_library_is_a_difference(tmp_path: Path) -> None:
    base = compiled(tmp_path / "base", SOURCE)
    head = compiled(tmp_path / "head", SOURCE, ["-O2", "-Wl,--no-as-needed", "-lm"])
    found = same_code(base, head)
    assert not found.same
    assert "the libraries that it is linked with, or where it begins, differ" in found.reasons


@pytest.mark.parametrize("text", ["", "#!/bin/sh\n", "\x7fELF"])
def test_what_is_no_program_counts_as_changed(tmp_path: Path, text: str) -> None:
    (tmp_path / "a").write_text(text)
    (tmp_path / "b").write_text(text + " ")
    found = same_code(tmp_path / "a", tmp_path / "b")
    assert (found.same, found.traced) == (False, False)
    assert len(found.reasons) == 1


def test_without_names_nothing_is_shown(tmp_path: Path) -> None:
    assert not compared(tmp_path, changed(SOURCE, "s -= 7", "s -= 8"), ["-O2", "-s"]).same


def test_each_program_may_look_for_libraries_in_its_own_folder(tmp_path: Path) -> None:
    folders = tmp_path / "base", tmp_path / "head"
    base, head = (compiled(f, SOURCE, ["-O2", f"-Wl,-rpath,{f}/lib"]) for f in folders)
    assert same_code(base, head, folders).same
    assert not same_code(base, head).same


FILES = {"src/a/__init__.py": "x = 1\n", "python": "#!/bin/sh\n"}


def build(folder: Path, files: dict[str, str]) -> tuple[Path, Path]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder, Path("python")


@pytest.mark.parametrize(
    "more",
    [
        {"src/whyfast.toml": "[study]\n"},
        {"src/.gitignore": "*.pyc\n"},
        {"src/README.md": "new\n"},
        {"python.layout-0123456789ab": "ours"},
        {"src/a/__init__.py": "# why\nx = 1\n"},
    ],
    ids=["the study itself", "for git", "document", "a layout", "comment"],
)
def test_what_nothing_runs_is_no_difference(tmp_path: Path, more: dict[str, str]) -> None:
    head = build(tmp_path / "head", FILES | more)
    found = same_builds(build(tmp_path / "base", FILES), head)
    assert (found.same, found.reasons) == (True, ())


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"src/a/__init__.py": "x = 2\n"}, "the file a/__init__.py differs"),
        ({"src/data.toml": "a = 1\n"}, "the file data.toml is only in head"),
    ],
)
def test_what_could_run_is_named(tmp_path: Path, more: dict[str, str], reason: str) -> None:
    head = build(tmp_path / "head", FILES | more)
    found = same_builds(build(tmp_path / "base", FILES), head)
    assert (found.same, found.reasons) == (False, (reason,))
