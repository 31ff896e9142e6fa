"""Building the extension callconv for an interpreter, and asking it things there."""

import functools
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from tests.compiled import compiled_once
from tests.interpreters import Interpreter

ROOT = Path(__file__).resolve().parents[2]
SUBJECT = ROOT / "subjects" / "callconv"
TURNS = ROOT / "src" / "whyfast" / "turns" / "include" / "whyfast_turn.py"
DRIVER = SUBJECT / "driver.py"

FLAGS = [
    *("-O2", "-g", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"),
    # Tables of types and methods leave out what they do not set, as all of CPython's do.
    "-Wno-missing-field-initializers",
]

_START = "import json, sys; sys.path[:0] = sys.argv[1:3]; import callconv\n"


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="whyfast-callconv-")


@functools.cache
def built(interpreter: Interpreter) -> Path:
    """The folder with callconv.so and whyfast_turn.py for it."""
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("no gcc on PATH")
    folder = Path(_folder().name) / str(interpreter)
    folder.mkdir()
    sources = map(str, sorted(SUBJECT.glob("*.c")))
    command = [compiler, *FLAGS, f"-I{interpreter.include}", *sources]
    shutil.copy(compiled_once(command, [SUBJECT]), folder / "callconv.so")
    shutil.copy(TURNS, folder / "whyfast_turn.py")
    return folder


def environment() -> dict[str, str]:
    """Without what a user set for Python; nothing is written beside the sources."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return {**env, "PYTHONDONTWRITEBYTECODE": "1"}


def command(interpreter: Interpreter, *arguments: str) -> list[str]:
    """The driver's command line."""
    extension = str(built(interpreter) / "callconv.so")
    return [str(interpreter.program), str(DRIVER), "--extension", extension, *arguments]


def drive(interpreter: Interpreter, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the driver to its end."""
    return subprocess.run(
        command(interpreter, *arguments), capture_output=True, text=True, env=environment()
    )


def ask(interpreter: Interpreter, code: str) -> Any:
    """What ``answer`` is in the end, by way of JSON. The module is imported as ``callconv``."""
    done = subprocess.run(
        [
            *(str(interpreter.program), "-c", f"{_START}{code}\nprint(json.dumps(answer))"),
            *(str(built(interpreter)), str(SUBJECT)),
        ],
        capture_output=True,
        text=True,
        env=environment(),
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
