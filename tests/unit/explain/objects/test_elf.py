"""ELF files, their debug files, and readable names."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.compiled import compile_text
from tests.unit.explain.objects.test_containers import needs_binutils
from tests.unit.explain.test_hostile_files import spoiled

from whyfast.explain.code_diff import Listings
from whyfast.explain.objects import Function, readable, readable_of, with_readable_names
from whyfast.explain.objects.debug_info import build_id, debug_link, with_lines
from whyfast.explain.objects.elf import open_elf
from whyfast.explain.program import explain_program, load
from whyfast.model.errors import UserError

Compile = Callable[..., Path]


def explain(path: Path) -> None:
    explain_program(path, variant="v", dispatch=["vm_run", "op_*"], functions=["*"])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a program"),
        (b"#!/bin/sh\n", "a script"),
        (b"!<arch>\n", "an archive"),
        (b"BC\xc0\xde", "LLVM bitcode"),
        (b"\x7fELF\x02\x01\x01", "truncated or damaged"),
        (b"\x7fELF\x01\x01\x01" + bytes(60), "32-bit, little-endian"),
        (b"\x7fELF\x02\x02\x01" + bytes(60), "64-bit, big-endian"),
    ],
)
def test_other_files(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "program"
    path.write_bytes(content)
    with pytest.raises(UserError, match=words) as caught:
        explain(path)
    assert caught.value.where == str(path)
    if "truncated" not in words:
        assert "x86-64 and AArch64" in caught.value.message


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No such file"):
        explain(tmp_path / "nothing")
    with pytest.raises(UserError, match="Is a directory"):
        explain(tmp_path)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # Held open, without data: a reader that opens it is not stuck in this test, but finds nothing.
    holder = os.open(pipe, os.O_RDWR)
    os.write(holder, b"MZ" + bytes(14))
    try:
        with pytest.raises(UserError, match="not a file"):
            explain(pipe)
        os.set_blocking(holder, False)
        assert len(os.read(holder, 16)) == 16
    finally:
        os.close(holder)


def test_other_machine(tmp_path: Path, make_elf: Callable[..., bytes]) -> None:
    path = tmp_path / "program"
    path.write_bytes(make_elf(b"\0" * 8, b"", {"f": (0, 8)}, machine=243, text_at=0x1000))
    with pytest.raises(UserError, match="machine RISCV"):
        explain(path)


def test_stripped(gcc: Compile, interpreter: Callable[[str, int], str]) -> None:
    program = gcc(interpreter("goto", 12), "-O2", "-s", "-fno-asynchronous-unwind-tables")
    elf = program.read_bytes().replace(b".eh_frame", b".no_frame")
    program.write_bytes(elf)
    with pytest.raises(UserError, match="stripped"):
        explain(program)


def test_stripped_with_unwind_tables(gcc: Compile, interpreter: Callable[[str, int], str]) -> None:
    program = load(gcc(interpreter("goto", 12), "-O2", "-s"))
    assert all(f.unnamed for f in program.functions)
    assert "no function has a name" in program.notes[0]


def test_stripped_libraries_export(gcc: Compile, interpreter: Callable[[str, int], str]) -> None:
    program = gcc(interpreter("goto", 12), "-O2", "-s", "-shared", "-fPIC")
    evidence = explain_program(program, variant="v", dispatch=["vm_run"])
    assert evidence.dispatch is not None
    assert evidence.dispatch.form == "replicated"
    assert "stripped" in evidence.notes[0]


def test_intermediate_code(gcc: Compile) -> None:
    program = gcc("int f(int a) { return a; }", "-flto", "-fno-fat-lto-objects", "-c")
    with pytest.raises(UserError, match="intermediate code"):
        explain(program)


def test_debug_file(gcc: Compile, tmp_path: Path) -> None:
    program = gcc("int main(void) { return 0; }", "-g")
    debug = tmp_path / "program.debug"
    subprocess.run(["objcopy", "--only-keep-debug", str(program), str(debug)], check=True)
    with pytest.raises(UserError, match="without code"):
        explain(debug)


@pytest.fixture(scope="session")
def originals(gcc: Compile, interpreter: Callable[[str, int], str]) -> list[bytes]:
    kinds = (["-O1"], ["-O1", "-c"])
    return [gcc(interpreter(s, 12), *k).read_bytes() for s in ("goto", "switch") for k in kinds]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_damaged_never_crash(tmp_path: Path, originals: list[bytes], data: st.DataObject) -> None:
    path = tmp_path / "hostile"
    path.write_bytes(spoiled(data, data.draw(st.sampled_from(originals))))
    with contextlib.suppress(UserError):
        explain(path)


SOURCE = """static int hidden(int a) { return a * 3; }
int (*volatile get)(int) = hidden;
int main(void) { return get(2); }
"""


def _separated(folder: Path, *flags: str) -> tuple[Path, Path]:
    """A stripped program, and its debug file in another folder."""
    folder.mkdir()
    program, debug = folder / "p", folder / "debug" / "p.dbg"
    debug.parent.mkdir()
    compile_text(SOURCE, program, "-O1", "-g", *flags)
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
    assert "hidden" not in {name for f in load(program).functions for name in f.names}


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
    compile_text(SOURCE, tmp_path / "p", "-O1", "-g")
    assert with_lines(tmp_path / "p", (tmp_path,)) == tmp_path / "p"
    assert _sources(tmp_path / "p") == {"p.c:1"}


pytestmark = pytest.mark.skipif(shutil.which("c++filt") is None, reason="c++filt is not installed")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("_ZN3foo3barEi", "foo::bar(int)"),
        ("_ZN3foo3barEi.constprop.0.cold", "foo::bar(int).constprop.0.cold"),
        ("__ZN3foo3barEi", "foo::bar(int)"),
        ("_ZN3std2rt10lang_start17he39bdf0230cb3880E", "std::rt::lang_start"),
        ("_RNvCs6xxl1lAjzDf_1a4main", "a::main"),
        ("_RNvCsAAAAAAAAAAA_1a4main", "a::main"),
    ],
)
def test_a_name_in_words(name: str, said: str) -> None:
    assert readable([name]) == {name: said}


def test_what_says_nothing_is_left_out() -> None:
    assert readable(["main", "_Zzz", "_R", "_start", "?foo@@YAHH@Z", "x\n_Z1fv"]) == {}


def test_both_names_stay() -> None:
    c, cpp = (Function((n,), 0, 0, 1, ".text") for n in ("main", "_Z1fv"))
    assert [f.names for f in with_readable_names([c, cpp])] == [("main",), ("f()", "_Z1fv")]
    assert readable_of("_Z1fv", ("f()", "_Z1fv")) == "f()"
    assert readable_of("alias", ("main", "alias")) == "alias"


def test_without_the_tool_names_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert readable(["_Z1fv"]) == {}


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
def test_a_program_is_asked_by_either_name(tmp_path: Path) -> None:
    source = tmp_path / "x.cc"
    source.write_text("namespace foo { int bar(int x) { return x + 1; } }")
    made = tmp_path / "x.o"
    subprocess.run(["g++", "-c", "-O1", source, "-o", made], check=True)
    assert [f.names for f in load(made).functions] == [("foo::bar(int)", "_ZN3foo3barEi")]
    for pattern in ("foo::bar*", "_ZN3foo*"):
        found = explain_program(made, variant="x", dispatch=(), functions=(pattern,))
        assert [f.name for f in found.functions] == ["foo::bar(int)"]
