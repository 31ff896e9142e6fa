"""The CPythons that tests of old and new versions run on.

``WHYFAST_TEST_PYTHONS`` names them, with a colon between; else they are the one that runs the tests
and pyenv's.
"""

import functools
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_ASK = """
import json, sys, sysconfig
print(json.dumps([list(sys.version_info[:3]), sysconfig.get_path("include"),
                  hasattr(sys, "gettotalrefcount") or sys.version.find("free-threading") > 0]))
"""


@dataclass(frozen=True)
class Interpreter:
    """A CPython: its program, version and folder of headers."""

    program: Path
    version: tuple[int, int, int]
    include: Path

    def __str__(self) -> str:
        return ".".join(map(str, self.version))


@functools.cache
def interpreters() -> tuple[Interpreter, ...]:
    """All that can be had with headers, each version once, the oldest first."""
    found: dict[tuple[int, int, int], Interpreter] = {}
    for program in _candidates():
        try:
            said = subprocess.run(
                [program, "-c", _ASK], capture_output=True, text=True, check=True
            ).stdout
        except (OSError, subprocess.CalledProcessError):
            continue
        numbers, include, special = json.loads(said)
        version = (numbers[0], numbers[1], numbers[2])
        if (Path(include) / "Python.h").exists() and not special:
            found.setdefault(version, Interpreter(program, version, Path(include)))
    return tuple(found[version] for version in sorted(found))


def _candidates() -> list[Path]:
    named = os.environ.get("WHYFAST_TEST_PYTHONS")
    if named:
        return [Path(name) for name in named.split(os.pathsep)]
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    return [Path(sys.executable), *sorted(root.glob("versions/*/bin/python"))]
