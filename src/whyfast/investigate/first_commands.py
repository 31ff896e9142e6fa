"""Command lines by which a project's own tests run a program, for ``whyfast new``: CTest and Meson
list them, and ``make -n`` prints what ``make`` would run. They run code of the project, so they are
shut in like build steps."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from whyfast.study.makefile import makefile_in
from whyfast.study.project import tools
from whyfast.toolchain import run
from whyfast.toolchain.sandbox import Box, around_steps, surroundings

#: Seconds for a tool that lists them.
_TIMEOUT = 10.0

#: Targets of makefiles that run a program on something, the best first.
_TARGETS = ("bench", "benchmark", "perf", "check", "test", "tests")

#: How the names of files and scripts begin that are written.
OWN = "whyfast_bench_"

#: Options whose next word is a file that is written.
_OUTPUTS = {"-o", "--output", "--out", ">", ">>"}

#: What a shell does more with than words and files; and what joins two outputs.
_SHELL = re.compile(r"[|&;()]+|.*[`$*?].*")
_JOINED = re.compile(r"\s2?>(&1|\s*/dev/null)(?!\S)")


def commands_of_tests(folder: Path, program: Path, name: str) -> tuple[list[tuple[str, ...]], str]:
    """Commands of a study, with placeholders, of the project in ``folder``, a copy of which was
    built beside ``program``, that its build calls ``name``; and the folder to run them in, as a
    study names it."""
    work = next((p for p in program.parents if (p / "src").is_dir()), program.parent)
    built = [*_of_build(program, work)]
    listed = built or [*_of_make(folder)]
    commands = (
        _command(words[1:], folder, work / "src") for words in listed if Path(words[0]).name == name
    )
    return [*dict.fromkeys(filter(None, commands))], "" if built else "{source}"


def _of_build(program: Path, work: Path) -> Iterator[Sequence[str]]:
    for place in program.parents:
        if not place.is_relative_to(work) or place == work:
            return
        if (place / "CTestTestfile.cmake").is_file():
            shown = _json(("ctest", "--show-only=json-v1"), place, work)
            for test in shown.get("tests", ()) if isinstance(shown, dict) else ():
                yield test.get("command") or [""]
            return
        if (place / "meson-info").is_dir():
            for test in _json(("meson", "introspect", "--tests", str(place)), place, work) or ():
                yield test.get("cmd") or [""]
            return


def _of_make(folder: Path) -> Iterator[Sequence[str]]:
    for target in _TARGETS if makefile_in(folder) else ():
        printed = _printed(("make", "-n", "-k", target), folder, folder)
        for line in printed.replace("\\\n", " ").splitlines():
            split = shlex.shlex(_JOINED.sub("", line), posix=True, punctuation_chars="|&;()<>")
            split.whitespace_split = True
            try:
                words = [*split]
            except ValueError:
                continue
            while words and (words[0] in ("time", "@") or re.match(r"\w+=", words[0])):
                del words[0]
            if words and not any(map(_SHELL.fullmatch, words)):
                yield words


def _command(words: Sequence[str], folder: Path, source: Path) -> tuple[str, ...]:
    """The words behind the program as a command of a study, whose files are the project's as they
    are there, so that both sides read the same; empty where there are none, or others."""
    named: list[str] = []
    shell, output, files = False, False, 0
    for word in words:
        path = Path(os.path.normpath(source / word))  # Meson names files by way of its folders
        if output:
            named.append(f"/tmp/{OWN}$$")
            output = False
        elif word in _OUTPUTS or word == "<":
            output = word in _OUTPUTS
            shell = True
            named.append(word)
        elif not path.is_relative_to(source):
            return ()
        elif (folder / (inner := os.path.relpath(path, source))).exists():
            files += 1
            named.append(f"{{study}}/{_plain(inner)}")
        else:
            named.append(_plain(word))
    if not files:
        return ()
    if not shell:
        return ("{program}", *named)
    quoted = [
        w if w in _OUTPUTS or w == "<" or w.startswith("/tmp/") else _quoted(w) for w in named
    ]
    line = " ".join(['"$0"', *quoted])
    return ("sh", "-c", f"{line}; status=$?; rm -f /tmp/{OWN}$$; exit $status", "{program}")


def _plain(word: str) -> str:
    """In which no brace is a placeholder."""
    return word.replace("{", "{{").replace("}", "}}")


def _quoted(word: str) -> str:
    """For a shell, also when the placeholder in it is a path with spaces."""
    return f'"{word}"' if word.startswith("{study}") else shlex.quote(word)


def _json(command: Sequence[str], place: Path, whole: Path) -> Any:
    try:
        return json.loads(_printed(command, place, whole) or "{}")
    except ValueError:
        return {}


def _printed(command: Sequence[str], place: Path, whole: Path) -> str:
    """What it prints, started in ``place`` and writing in ``whole`` alone; empty where it cannot be
    run."""
    seen = surroundings("", tools(command[0]))
    within, _ = around_steps(Box(writable=(whole,), readable=seen, start=place), whole)
    try:
        return run((*within, *command), timeout=_TIMEOUT, folder=place).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
