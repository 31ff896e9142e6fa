"""What an interpreter says about itself."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whyfast.interpreter.facts import facts_of
from whyfast.model.errors import CannotBuildHere

#: Seconds that an answer may take.
TIMEOUT = 60.0

#: Runs on CPython 2.7 and on. ``real`` is the program behind the shims of pyenv and the like. The
#: path loses the current folder, where a json.py may lie; -P is from 3.11 on.
_QUESTION = """
import sys
sys.path[:] = [p for p in sys.path if p]
import json, os, platform, sys, sysconfig
variables = sysconfig.get_config_vars()
names = ("CONFIG_ARGS", "OPT", "PY_CFLAGS", "PY_CORE_CFLAGS", "CONFIGURE_CFLAGS",
    "CONFIGURE_CFLAGS_NODIST", "PY_CFLAGS_NODIST", "PY_LDFLAGS_NODIST", "Py_DEBUG",
    "Py_GIL_DISABLED", "Py_ENABLE_SHARED", "LIBDIR", "INSTSONAME", "MULTIARCH")
print(json.dumps({
    "implementation": platform.python_implementation(),
    "version": platform.python_version(),
    "compiler": platform.python_compiler(),
    "real": os.path.realpath(sys.executable),
    "prefixes": sorted({sys.prefix, sys.exec_prefix, getattr(sys, "base_prefix", sys.prefix)}),
    "headers": sorted(
        {os.path.join(variables["srcdir"], "Include"),
         os.path.dirname(sysconfig.get_config_h_filename())}
        if sysconfig.is_python_build() else
        {sysconfig.get_path("include"), sysconfig.get_path("platinclude")}),
    "variables": dict((name, variables.get(name)) for name in names)}))
"""


@dataclass(frozen=True)
class SaidOfItself:
    """``program`` is its real file, ``headers`` the folders of its headers and ``library`` its
    shared library, if it has one, all as seen from inside of its root; ``multiarch`` is Debian's
    name of the machine, empty for none. ``facts`` as in :class:`Interpreter`."""

    version: str
    program: Path
    prefixes: tuple[Path, ...]
    headers: tuple[Path, ...]
    library: Path | None
    multiarch: str
    facts: Mapping[str, str]


def ask(command: Sequence[str]) -> SaidOfItself:
    """The answer of the interpreter that ``command`` starts; CannotBuildHere when there is none,
    or it is no CPython."""
    said = _run([*command, "-c", _QUESTION])
    try:
        data: dict[str, Any] = json.loads(said)
    except ValueError:
        raise CannotBuildHere(f"{command[-1]} is no Python: it says {said[:60]!r}") from None
    if data["implementation"] != "CPython":
        raise CannotBuildHere(f"{command[-1]} is {data['implementation']}, not CPython")
    variables = data["variables"]
    shared = variables["Py_ENABLE_SHARED"] and variables["LIBDIR"] and variables["INSTSONAME"]
    return SaidOfItself(
        version=data["version"],
        program=Path(data["real"]),
        prefixes=tuple(map(Path, data["prefixes"])),
        headers=tuple(map(Path, data["headers"])),
        library=Path(variables["LIBDIR"], variables["INSTSONAME"]) if shared else None,
        multiarch=variables["MULTIARCH"] or "",
        facts=facts_of(data["compiler"], variables),
    )


def digest_of(answer: SaidOfItself, root: Path | None = None) -> str:
    """sha256 over its place, version, program, shared library and the headers that say how it was
    configured. UserError is not raised for a file that is gone: it counts as none."""
    base = root or Path("/")
    total = hashlib.sha256(f"{root or ''} {answer.program} {answer.version}".encode())
    files = [answer.program, *([answer.library] if answer.library else [])]
    files += [folder / name for folder in answer.headers for name in _HEADERS]
    for file in files:
        here = base / file.relative_to("/")
        if here.is_file():
            with here.open("rb") as f:
                total.update(hashlib.file_digest(f, "sha256").digest())
    return total.hexdigest()


_HEADERS = ("Python.h", "patchlevel.h", "pyconfig.h")


def _run(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT,
            stdin=subprocess.DEVNULL,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotBuildHere(f"{command[0]} cannot be asked what it is: {error}") from None
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"it ends with {done.returncode}"]
        raise CannotBuildHere(f"{command[0]} cannot be asked what it is: {lines[-1][:200]}")
    return done.stdout
