"""What cannot be explained is said in one line, whatever the file holds."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from whyfast.explain.program import explain_program
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
    program = gcc(interpreter("goto", 12), "-O2", "-s")
    with pytest.raises(UserError, match="stripped"):
        explain(program)


def test_stripped_library_keeps_its_exports(
    gcc: Compile, interpreter: Callable[[str, int], str]
) -> None:
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
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_truncated_and_mutated_files_never_crash(
    tmp_path: Path, originals: list[bytes], data: st.DataObject
) -> None:
    blob = bytearray(data.draw(st.sampled_from(originals)))
    # Half of the mutations hit the headers, symbols and relocations, which lie at both ends.
    places = st.one_of(
        st.integers(0, len(blob) - 1),
        st.integers(0, 0x400),
        st.integers(len(blob) - 0x1200, len(blob) - 1),
    )
    for place in data.draw(st.lists(places, max_size=8)):
        patch = data.draw(
            st.sampled_from([b"\0", b"\xff", b"\xff" * 8, b"\x80", b"\x7f" * 4, b"\1"])
        )
        blob[place : place + len(patch)] = patch
    if data.draw(st.booleans()):
        del blob[data.draw(places) :]
    path = tmp_path / "hostile"
    path.write_bytes(blob)
    with contextlib.suppress(UserError):
        explain(path)
