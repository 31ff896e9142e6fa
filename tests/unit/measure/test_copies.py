"""Each process runs a copy of its program that stands there as long as it does."""

import os
import random
from pathlib import Path

import pytest
from tests.unit.measure.doubles import FakeClock, FakeRunner

from whyfast.measure.invocation import (
    CopyRunner,
    InvocationFailed,
    Sample,
    name_of_copy,
    scattered_copy,
)


@pytest.mark.parametrize("size", [0, 1, 4096, 20_001])
def test_a_copy_has_the_same_bytes_and_mode(tmp_path: Path, size: int) -> None:
    original, copy = tmp_path / "vm", tmp_path / "copy"
    original.write_bytes(random.Random(size).randbytes(size))
    original.chmod(0o751)
    scattered_copy(original, copy, random.Random(1))
    assert copy.read_bytes() == original.read_bytes()
    assert copy.stat().st_mode == original.stat().st_mode
    assert copy.stat().st_ino != original.stat().st_ino


def test_names_stand_beside_the_program_and_are_equally_long(tmp_path: Path) -> None:
    a, b = (name_of_copy(tmp_path / "vm") for _ in range(2))
    assert a != b
    assert a.parent == tmp_path
    assert len(a.name) == len(b.name)
    assert a.name.startswith(".vm.")


def _runner(folder: Path, **how: dict[str, str]) -> tuple[CopyRunner, FakeRunner, Path]:
    program, layout = folder / "vm", folder / "vm.layout-1"
    program.write_text("as linked")
    layout.write_text("in a layout")
    copies = [folder / ".vm.0", folder / ".vm.1"]
    inner = FakeRunner(lambda v, loops, n: Sample(1.0), FakeClock(), loops_vary=True, **how)
    files = {"base": [*zip((program, layout), copies, strict=True)]}
    return CopyRunner(inner, files), inner, copies[1]


def test_a_fresh_copy_of_the_layout_goes_with_the_process(tmp_path: Path) -> None:
    runner, inner, copy = _runner(tmp_path)
    assert runner.loops_vary
    files = set()
    for _ in range(2):
        invocation = runner.enter("base", cpu=3, pad=17, layout=1)
        assert copy.read_text() == "in a layout"
        files.add(os.open(copy, os.O_RDONLY))  # keeps the number of the file in use
        assert invocation.turn(1) == Sample(1.0)
        assert invocation.threads == 1
        invocation.close()
        assert not copy.exists()
    assert len({os.fstat(fd).st_ino for fd in files}) == 2
    for fd in files:
        os.close(fd)
    assert inner.places == [("base", 3, 17, 1)] * 2
    assert inner.open == []


def test_no_copy_is_left_of_a_process_that_does_not_come_up(tmp_path: Path) -> None:
    runner, _, copy = _runner(tmp_path, entering={"base": "no such library"})
    with pytest.raises(InvocationFailed, match="no such library"):
        runner.enter("base", cpu=None, pad=0, layout=1)
    assert not copy.exists()


def test_a_program_that_cannot_be_copied_is_a_failure_of_its_variant(tmp_path: Path) -> None:
    runner, inner, _ = _runner(tmp_path)
    (tmp_path / "vm").unlink()
    with pytest.raises(InvocationFailed, match="could not be copied"):
        runner.enter("base", cpu=None, pad=0)
    assert inner.places == []
