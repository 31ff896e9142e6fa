"""The sections of code that a layout can place, in files, folders and libraries."""

import subprocess
from pathlib import Path

import pytest
from tests.compiled import compile_text
from tests.unit.build.layout_example import PROGRAM

from whyfast.build.pieces import Piece, find_pieces, libraries_beside

pytestmark = pytest.mark.usefixtures("needs_gcc")


def _compile(folder: Path, name: str, text: str, *flags: str) -> None:
    target = folder / name
    target.parent.mkdir(parents=True, exist_ok=True)
    compile_text(text, target, "-O1", *flags, "-c")


def _library(folder: Path, name: str, *objects: str, remove: bool = True) -> None:
    subprocess.run(["ar", "rcs", name, *objects], cwd=folder, check=True)
    if remove:
        for each in objects:
            (folder / each).unlink()


def test_functions_are_found_where_they_have_sections_of_their_own(tmp_path: Path) -> None:
    _compile(tmp_path, "deep/down/main.o", PROGRAM, "-ffunction-sections")
    (tmp_path / "bitcode.o").write_bytes(b"BC\xc0\xde")
    assert find_pieces(tmp_path) == [
        Piece(".text.main"),
        Piece(".text.one"),
        Piece(".text.three"),
        Piece(".text.two"),
    ]


def test_objects_without_function_sections_are_pieces_told_apart_by_file(tmp_path: Path) -> None:
    for n in ("Objects/list.o", "Objects/tuple.o", "Python/list.o"):
        _compile(
            tmp_path, n, f"int f(void) {{ return {len(n)}; }} int g_{n[0]}(void) {{ return 1; }}"
        )
    assert find_pieces(tmp_path) == [
        Piece(".text", ("[O]bjects/list.o", "*/Objects/list.o")),
        Piece(".text", ("[t]uple.o", "*/tuple.o")),
        Piece(".text", ("[P]ython/list.o", "*/Python/list.o")),
    ]


def test_one_name_in_two_objects_is_two_pieces(tmp_path: Path) -> None:
    for n in ("a.o", "b.o"):
        code = f"__attribute__((used)) static int same(void) {{ return {ord(n[0])}; }}"
        _compile(tmp_path, n, code, "-ffunction-sections")
    assert find_pieces(tmp_path) == [
        Piece(".text.same", ("[a].o", "*/a.o")),
        Piece(".text.same", ("[b].o", "*/b.o")),
    ]


def test_members_of_a_library_are_found_with_long_names_too(tmp_path: Path) -> None:
    long = "a_name_longer_than_sixteen_bytes.o"
    _compile(tmp_path, long, "int f(void) { return 1; }")
    _compile(tmp_path, "b.o", "int g(void) { return 22; }")
    _library(tmp_path, "libx.a", long, "b.o")
    assert find_pieces(tmp_path) == [
        Piece(".text", (f"*libx.a:{long}",)),
        Piece(".text", ("*libx.a:b.o",)),
    ]


def test_an_object_that_is_in_a_library_too_is_one_piece(tmp_path: Path) -> None:
    _compile(tmp_path, "a.o", "int f(void) { return 1; }")
    _compile(tmp_path, "b.o", "int g(void) { return 22; }", "-ffunction-sections")
    _compile(tmp_path, "c.o", "int h(void) { return 333; }")
    _library(tmp_path, "libx.a", "a.o", "b.o", remove=False)
    assert find_pieces(tmp_path) == [
        Piece(".text", ("[a].o", "*/a.o", "*libx.a:a.o")),
        Piece(".text", ("[c].o", "*/c.o")),
        Piece(".text.g"),
    ]


def test_what_is_no_object_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "text.o").write_text("not an object")
    (tmp_path / "half.a").write_bytes(b"!<arch>\nfile.o/         0           0     0     6")
    (tmp_path / "thin.a").write_bytes(b"!<thin>\n")
    (tmp_path / "folder.o").mkdir()
    assert find_pieces(tmp_path) == []


def test_libraries_that_a_program_loads_and_no_layout_moves(tmp_path: Path) -> None:
    for name, text, *libraries in (
        ("liblow.so.1", "int low(void) { return 1; }"),
        ("libhigh.so", "int low(void); int high(void) { return low(); }", "liblow.so.1"),
        ("libother.so", "int other(void) { return 2; }"),
        ("vm", "int high(void); int main(void) { return high(); }", "libhigh.so", "liblow.so.1"),
    ):
        (tmp_path / "source.c").write_text(text)
        shared = ["-shared", "-fPIC", f"-Wl,-soname,{name}"] if ".so" in name else []
        words = ["gcc", *shared, "source.c", "-o", name, *libraries, "-Wl,--as-needed"]
        subprocess.run(words, cwd=tmp_path, check=True)
    (tmp_path / "vm.so.layout-0123456789ab").write_bytes((tmp_path / "liblow.so.1").read_bytes())
    (tmp_path / "script").write_text("#!/bin/sh")
    assert libraries_beside(tmp_path / "vm", tmp_path) == ("libhigh.so", "liblow.so.1")
    assert libraries_beside(tmp_path / "libother.so", tmp_path) == ()
    assert libraries_beside(tmp_path / "script", tmp_path) == ()
