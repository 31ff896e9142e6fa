"""Building the eBPF machine, once for each form, and running it."""

import contextlib
import functools
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from tests.compiled import compiled_once

ROOT = Path(__file__).resolve().parents[2]
SUBJECT = ROOT / "subjects" / "ebpf-vm"
INCLUDE = ROOT / "src" / "whyfast" / "turns" / "include"
DRIVER = Path(__file__).with_name("ebpf_driver.c")

WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]

FORMS = ["SWITCH", "GOTO", "TAIL", "PINNED"]
#: Those that gcc compiles, with sanitizers.
GCC_FORMS = ["SWITCH", "GOTO"]

Case = tuple[bytes, bytes, int]
Drive = Callable[[str, Sequence[Case]], list[str]]


def run(
    program: Path,
    *arguments: object,
    cwd: Path | None = None,
    stdin: str | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """The program's status and output, whatever they are."""
    return subprocess.run(
        [str(program), *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


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


@pytest.fixture(scope="session")
def interpreter(request: pytest.FixtureRequest) -> Callable[..., list[str]]:
    """The compiler for one form and what to give it, beside the other sources: interp.c, compiled
    with these flags once for all tests, as it takes long. The pinned form takes a minute."""

    def arguments(form: str, *flags: str) -> list[str]:
        compiler = request.getfixturevalue("gcc" if form in GCC_FORMS else "clang_like")
        if form == "PINNED":
            flags = ("-O2",)
        define = f"-DVM_DISPATCH_{form}"
        command = [*compiler, *WARNINGS, *flags, define, "-c", f"{SUBJECT}/interp.c"]
        try:
            return [*compiler, define, *flags, str(compiled_once(command, [SUBJECT]))]
        except subprocess.CalledProcessError as error:
            if "no preserve_none attribute" in error.stderr:
                pytest.skip("this clang has no attribute preserve_none")
            pytest.fail(error.stderr)

    return arguments


def sources(*without: str) -> list[str]:
    return [str(p) for p in sorted(SUBJECT.glob("*.c")) if p.name not in ("interp.c", *without)]


@pytest.fixture(scope="session")
def build_vm(interpreter: Callable[..., list[str]]) -> Callable[[str], Path]:
    @functools.cache
    def build(form: str) -> Path:
        command = [*interpreter(form, "-O2"), *WARNINGS, "-O2", f"-I{INCLUDE}", *sources()]
        return compiled_once(command, [SUBJECT, INCLUDE])

    return build


@pytest.fixture(scope="session")
def vm(build_vm: Callable[[str], Path]) -> Path:
    """Any ebpf-vm, for tests of what the forms share."""
    return build_vm("GOTO")


@pytest.fixture(scope="session")
def drive(interpreter: Callable[..., list[str]]) -> Drive:
    """Runs many programs in one process of the driver, under sanitizers where there are some."""

    @functools.cache
    def build(form: str) -> Path:
        more = [*WARNINGS, "-O1", "-g", f"-I{SUBJECT}", str(DRIVER)]
        more += sources("main.c", "options.c", "plugin.c")
        reads = [SUBJECT, DRIVER.parent]
        if form in GCC_FORMS:
            with contextlib.suppress(subprocess.CalledProcessError):  # of a gcc without sanitizers
                return compiled_once([*interpreter(form, "-O1", "-g", *SANITIZE), *more], reads)
        return compiled_once([*interpreter(form, "-O1", "-g"), *more], reads)

    def answers_of(form: str, cases: Sequence[Case]) -> list[str]:
        lines = (
            f"{code.hex() or '-'} {memory.hex() or '-'} {limit}\n" for code, memory, limit in cases
        )
        result = run(build(form), stdin="".join(lines))
        assert result.returncode == 0, result.stderr
        answers = [line.rstrip() for line in result.stdout.splitlines()]
        assert len(answers) == len(cases)
        return answers

    return answers_of


@pytest.fixture
def load(vm: Path, tmp_path: Path) -> Callable[..., str]:
    def result(content: bytes, *arguments: str) -> str:
        (tmp_path / "p.o").write_bytes(content)
        process = run(vm, "run", "p.o", *arguments, cwd=tmp_path)
        assert process.returncode in (0, 2), process
        assert process.stderr.count("\n") == (process.returncode == 2)
        return process.stdout.strip() or process.stderr.strip().removeprefix("ebpf-vm: p.o: ")

    return result
