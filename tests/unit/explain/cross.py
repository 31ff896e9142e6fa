"""Objects and programs for Windows and macOS, made by zig's cross compiler and linker."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import USERS_TOOLCHAINS

from whyfast.explain.program import explain_program
from whyfast.model.evidence import DispatchFacts

WINDOWS = ("x86_64-windows-gnu", "aarch64-windows-gnu")
MACOS = ("aarch64-macos", "x86_64-macos")

VM = Path(__file__).parents[3] / "subjects" / "ebpf-vm" / "interp.c"

Make = Callable[..., Path]


def zig_binary(release: str = "") -> str:
    """The zig of that release, else the tests' own; skips where it is not there."""
    own = USERS_TOOLCHAINS / f"ziglang-{release}" / "zig"
    binary = str(own) if release and own.exists() else os.environ.get("WHYFAST_TEST_ZIG", "")
    if not binary or (release and not own.exists()):
        pytest.skip("zig was not fetched; run python -m tests.prepare")
    return binary


def compile_object(folder: Path, target: str, source: Path, *flags: str, release: str = "") -> Path:
    """An object of ``source`` for ``target``."""
    words = "-".join((target, release, source.stem, *flags)).replace("/", "_")
    out = folder / f"{words}.o"
    if not out.exists():
        start = [zig_binary(release), "cc", "-target", target, "-fno-sanitize=all", "-O2"]
        run([*start, *flags, "-c", str(source), "-o", str(out)])
    return out


def run(command: list[str], cwd: Path | None = None) -> None:
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def dispatch_of(path: Path, glob: str = "vm_run") -> DispatchFacts:
    facts = explain_program(path, variant="v", dispatch=[glob]).dispatch
    assert facts is not None
    return facts
