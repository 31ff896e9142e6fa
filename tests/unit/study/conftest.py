"""A small valid study that tests change in one place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

#: What the fixtures ``write`` and ``message`` are.
Write = Callable[[str], Path]
Message = Callable[[str], str]

VALID = """\
[study]
title = "Is tail faster than goto?"
baseline = ["clang18-goto"]
margin = "1%"
claim = { variant = "clang19-tail", baseline = "clang19-goto" }

[source]
path = "src"

[build]
steps = ["{cc} {cflags} -o {program} {source}/*.c {ldflags}"]
program = "vm"
env = { SOURCE_DATE_EPOCH = "0" }

[variant.base]
abstract = true
cflags = ["-O2", "-g"]

[variant.taildup]
extends = "clang19-goto"
toolchain = "zig:clang-19"
cflags.add = ["-DX"]
ldflags.add = ["-s"]
requires = ["musttail"]
expect = { dispatch = "replicated" }
about = "one line"

[axes]
extends = "base"
exclude = [{ compiler = "clang18", dispatch = "tail" }]

[axes.compiler.clang18]
toolchain = "zig:clang-18"

[axes.compiler.clang19]
toolchain = "zig:clang-19"

[axes.dispatch.goto]
cflags.add = ["-DGOTO"]

[axes.dispatch.tail]
cflags.add = ["-DTAIL"]
requires = ["musttail"]

[benchmarks.collatz]
runner = "turn"
command = ["{program}", "turn", "{source}/collatz.hex"]
check = "0x1f"
timeout = "10s"

[measure]
budget = "3m"
stop = "decided"
turn = "1ms"
turns = 40

[evidence]
dispatch = ["vm_run", "op_*"]
functions = ["vm_*"]
"""


@pytest.fixture
def valid() -> str:
    """The text of a study that uses every key."""
    return VALID


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a study file into a folder ``demo`` that has the source folder ``src``."""

    def write_text(text: str) -> Path:
        folder = tmp_path / "demo"
        (folder / "src").mkdir(parents=True, exist_ok=True)
        file = folder / "study.toml"
        file.write_text(text, "utf-8")
        return file

    return write_text


@pytest.fixture
def message(write: Write) -> Message:
    """The error that a study text gives, without the folder that it stands in."""
    from whyfast.model.errors import StudyError
    from whyfast.study.load import load_study

    def of(text: str) -> str:
        file = write(text)
        with pytest.raises(StudyError) as caught:
            load_study(file)
        return str(caught.value).replace(f"{file.parent}/", "").replace(str(file.parent), "DEMO")

    return of
