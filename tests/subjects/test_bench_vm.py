"""What bench/vm.py makes of a program for whole runs."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from bench.vm import PROGRAMS, bytecode, others_asked, repeated
from bench.vm import arguments as bench_arguments

from whyfast.model.errors import UserError


@pytest.mark.parametrize("program", ["collatz", "fnv1a", "shellsort"])
def test_a_repeated_program_returns_what_it_returns_once(
    build_vm: Callable[[str], Path], program: str
) -> None:
    def run(code: bytes) -> str:
        command = [str(build_vm("GOTO")), "plugin", bytes(PROGRAMS[program]).hex()]
        process = subprocess.run(
            command, input=code.hex(" "), capture_output=True, text=True, check=True
        )
        return str(process.stdout)

    code = bytecode(program)
    assert run(repeated(code, 3, PROGRAMS[program])) == run(code)


def test_absent_interpreters_are_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    present = tmp_path / "rbpf_plugin"
    present.touch()
    asked = others_asked(bench_arguments(["--rbpf", str(present)]))
    assert [other.line("00 01") for other in asked] == [f"{present} '00 01'"]
    assert capsys.readouterr().out == (
        "ubpf: absent; give its plugin as --ubpf PATH to compare with it\n"
    )
    with pytest.raises(UserError, match="no such file"):
        others_asked(bench_arguments(["--ubpf", str(tmp_path / "none")]))
