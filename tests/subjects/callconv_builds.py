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

#: Answers pieces of code, given as JSON a line, each in a process of its own.
_ANSWER = """\
import json, os, sys, traceback
sys.path[:0] = sys.argv[1:3]
import callconv
def ask(code):
    names = {"callconv": callconv, "json": json, "sys": sys}
    try:
        exec(code, names)
        return [json.dumps(names["answer"]), ""]
    except BaseException:
        return ["", traceback.format_exc()]
for line in iter(sys.stdin.readline, ""):
    if os.fork() == 0:
        print(json.dumps(ask(json.loads(line))))
        sys.stdout.flush()
        os._exit(0)
    if os.wait()[1]:
        print(json.dumps(["", "it crashed"]))
        sys.stdout.flush()
"""


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


@functools.cache
def _asked(interpreter: Interpreter) -> subprocess.Popen[str]:
    """It has imported ``callconv``, and ends with this process."""
    words = [str(interpreter.program), "-c", _ANSWER, str(built(interpreter)), str(SUBJECT)]
    return subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment()
    )


def ask(interpreter: Interpreter, code: str) -> Any:
    """What ``answer`` is in the end, by way of JSON, in a process for this code alone. The modules
    ``callconv``, ``json`` and ``sys`` are imported."""
    process = _asked(interpreter)
    assert process.stdin is not None
    assert process.stdout is not None
    print(json.dumps(code), file=process.stdin, flush=True)
    answer, failure = json.loads(process.stdout.readline())
    assert not failure, failure
    return json.loads(answer)
