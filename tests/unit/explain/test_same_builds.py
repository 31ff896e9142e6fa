"""Which sources a program holds nothing of, by its symbols and debug information."""

import shutil
import subprocess
from pathlib import Path

import pytest

from whyfast.explain.same_builds import not_linked, unused_code, without_go_tests
from whyfast.model.code import CodeComparison, FunctionChange


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize(("debug", "absent"), [("-g", ("lib/dump.c",)), ("-s", ())])
def test_sources_that_are_not_in_the_program(
    tmp_path: Path, debug: str, absent: tuple[str, ...]
) -> None:
    (tmp_path / "app.c").write_text("int main(void) { return 0; }\n")
    subprocess.run(["gcc", debug, "-o", "app", "app.c"], cwd=tmp_path, check=True)
    build = tmp_path, Path("app")
    names = ["app.c", "lib/dump.c", "test/check.c", "README.md"]
    assert not_linked([build, build], names, names) == absent


@pytest.mark.parametrize(
    ("holds", "absent"),
    [
        (b"_ZN5a_lib3runE", ("in/b/src/x.rs",)),
        (b"_ZN5a_lib3runE\0b\0", ()),
        (b"_ZN5other3runE", ()),  # stripped
    ],
)
def test_of_a_package_of_rust_a_program_holds_some_or_nothing(
    tmp_path: Path, holds: bytes, absent: tuple[str, ...]
) -> None:
    for place, text in (
        ("src", '[package]\nname = "a"\n[lib]\nname = "a_lib"\n'),
        ("src/in/b", '[package]\nname = "b"\n'),
        ("src/odd", "[package"),
    ):
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        (tmp_path / place / "Cargo.toml").write_text(text)
    (tmp_path / "p").write_bytes(b"\x7fELF" + holds)
    names = ["src/lib.rs", "in/b/src/x.rs", "in/b/tests/t.rs", "odd/src/y.rs"]
    assert not_linked([(tmp_path, Path("p"))] * 2, names, names) == absent


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("int a; // one", "int  a; /* two */", False),
        ('puts("//a");', 'puts("//b");', True),
        ("c = '\"'; // a", "c = '\"'; // b", False),
        ("int a;", "int b;", True),
        ("", "int b;", True),
    ],
)
def test_code_that_the_program_holds_nothing_of_is_more_than_comments(
    tmp_path: Path, before: str, after: str, found: bool
) -> None:
    sides = [tmp_path / "base", tmp_path / "head"]
    for folder, text in zip(sides, (before, after), strict=True):
        folder.mkdir()
        for name in ("a.hpp", "a_test.go", "a.md"):
            if text:
                (folder / name).write_text(text)
    names = ["a.hpp", "a.md", "a_test.go"]
    assert unused_code(sides[0], sides[1], names) == (("a.hpp",) if found else ())


@pytest.mark.parametrize(
    ("names", "reasons", "same"),
    [
        (("example.org/a.TestPut", "example.org/a.TestPut.func1.deferwrap2"), (), True),
        (("example.org/a.Test", "a.Example_one", "a.FuzzParse.func1"), (), True),
        (("example.org/a.TestPut",), ("data differs",), False),
        (("example.org/a.(*Pool).Put", "example.org/a.TestPut"), (), False),
        (("example.org/a.Testify", "main.(*Tester).run"), (), False),
        (("a.BenchmarkPut.func1",), (), False),
    ],
)
def test_tests_of_go_do_not_run_in_benchmarks(
    names: tuple[str, ...], reasons: tuple[str, ...], same: bool
) -> None:
    functions = tuple(FunctionChange(name, "changed", (1, 2)) for name in names)
    code = without_go_tests(CodeComparison(False, False, functions, reasons, traced=True))
    assert code.same == same
    assert code.functions[0].reached == (not same and not reasons)
