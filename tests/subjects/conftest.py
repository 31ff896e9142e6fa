"""Building the eBPF machine, once for each form, and running it."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SUBJECT = ROOT / "subjects" / "ebpf-vm"
INCLUDE = ROOT / "src" / "whyfast" / "turns" / "include"
DRIVER = Path(__file__).with_name("ebpf_driver.c")

WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]

Case = tuple[bytes, bytes, int]
Drive = Callable[[str, Sequence[Case]], list[str]]


@pytest.fixture(scope="session")
def subject() -> Path:
    return SUBJECT


@pytest.fixture(scope="session")
def turn_include() -> Path:
    return INCLUDE


@pytest.fixture(scope="session")
def gcc() -> list[str]:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler (gcc or cc) on PATH")
    return [compiler]


@pytest.fixture(scope="session")
def clang_like() -> list[str]:
    """A compiler with the attribute musttail."""
    zig = os.environ.get("WHYFAST_TEST_ZIG")
    if zig:
        return [zig, "cc", "-fno-sanitize=all"]
    clang = shutil.which("clang")
    if clang is None:
        pytest.skip("no clang on PATH, and WHYFAST_TEST_ZIG names no zig")
    return [clang]


def compile_subject(compiler: list[str], form: str, output: Path, *arguments: str) -> None:
    sources = [str(path) for path in sorted(SUBJECT.glob("*.c"))]
    command = [*compiler, *WARNINGS, "-O2", f"-DVM_DISPATCH_{form}", "-I", str(INCLUDE)]
    subprocess.run([*command, *arguments, "-o", str(output), *sources], check=True)


@pytest.fixture(scope="session")
def build_vm(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Path]:
    """The program ebpf-vm with one form of dispatch: SWITCH, GOTO or TAIL."""

    @functools.cache
    def build(form: str) -> Path:
        name = "clang_like" if form == "TAIL" else "gcc"
        output = tmp_path_factory.mktemp("vm") / f"ebpf-vm-{form.lower()}"
        compile_subject(request.getfixturevalue(name), form, output)
        return output

    return build


@pytest.fixture(scope="session")
def vm(build_vm: Callable[[str], Path]) -> Path:
    """Any ebpf-vm, for tests of what the forms share."""
    return build_vm("GOTO")


@pytest.fixture(scope="session")
def drive(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Drive:
    """Runs many programs in one process of the driver, under sanitizers where there are some."""

    @functools.cache
    def build(form: str) -> Path:
        compiler = request.getfixturevalue("clang_like" if form == "TAIL" else "gcc")
        output = tmp_path_factory.mktemp("driver") / f"driver-{form.lower()}"
        shared = [p for p in sorted(SUBJECT.glob("*.c")) if p.name not in ("main.c", "options.c")]
        command = [*compiler, *WARNINGS, "-O1", "-g", f"-DVM_DISPATCH_{form}", f"-I{SUBJECT}"]
        command += ["-o", str(output), str(DRIVER), *map(str, shared)]
        if form != "TAIL":
            attempt = subprocess.run([*command, *SANITIZE], capture_output=True, check=False)
            if attempt.returncode == 0:
                return output
        subprocess.run(command, check=True)
        return output

    def run(form: str, cases: Sequence[Case]) -> list[str]:
        lines = (
            f"{code.hex() or '-'} {memory.hex() or '-'} {limit}\n" for code, memory, limit in cases
        )
        result = subprocess.run(
            [build(form)], input="".join(lines), capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, result.stderr
        answers = [line.rstrip() for line in result.stdout.splitlines()]
        assert len(answers) == len(cases)
        return answers

    return run
