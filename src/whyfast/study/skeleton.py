"""The text of a first study, for ``whyfast new``."""

from __future__ import annotations

_TEXT = """\
# A study for whyfast: a question, the ways to build the program, and the workloads to time.
# Everything that can stand here is described on the page study.md of the documentation.

[study]
title = "Does -O3 make it faster than -O2?"
# The variant that the others are compared with. A list may name several, the main one first.
baseline = "O2"
# The smallest difference that matters to you.
margin = "1%"

[source]
# The folder with the program's source, relative to this file.
path = {path}

[build]
# Shell lines, run in order in a fresh folder for each variant. They may use {{cc}} {{cflags}}
# {{ldflags}} {{configure}} {{source}} {{include}} {{jobs}} {{program}}; a brace is written twice.
steps = ["{{cc}} {{cflags}} -o {{program}} {{source}}/*.c {{ldflags}}"]
# The file that the steps make, relative to that folder.
program = "program"

# What the variants below have in common. It is abstract: extended, never built.
[variant.base]
abstract = true
toolchain = "path:cc"
cflags = ["-g"]

[variant.O2]
extends = "base"
cflags.add = ["-O2"]

[variant.O3]
extends = "base"
cflags.add = ["-O3"]

[benchmarks.whole]
# "command" times the whole process, "turn" asks the program for its own timings, "pyperf" runs a
# pyperf benchmark. The command is a list of words; no shell reads it.
runner = "command"
command = ["{{program}}"]
timeout = "60s"

[measure]
# The most time to spend on measuring. It ends earlier once every verdict is decided.
budget = "60s"

# [evidence]
# Functions whose machine code could explain a difference; * stands for anything.
# functions = ["*"]
# Functions that dispatch, when the program is an interpreter.
# dispatch = ["run"]
"""


def skeleton(path: str) -> str:
    """A commented study of the program whose source is in ``path``; ValueError for a path that
    TOML cannot hold."""
    # Late: only ``whyfast new`` writes TOML.
    import tomlkit

    path.encode("utf-8")
    return _TEXT.format(path=tomlkit.string(path).as_string())
