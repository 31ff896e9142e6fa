"""The providers of interpreters by name, of which a new one is a function and a line here; and an
interpreter that a user names as on a command line: ``python3.12``, ``.venv``, ``3.12``.

For the latter nothing is compiled, so headers are not needed and it may be another than CPython.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from whyfast.interpreter.providers import (
    built_python,
    debian_python,
    debian_python_installed,
    path_python,
    pyenv_python,
    pythons_here,
    uv_python,
)
from whyfast.model.build import Interpreter
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.home import Home
from whyfast.toolchain.provider import Progress
from whyfast.toolchain.sandbox import Box, around_program

#: By the name before the colon, what returns the interpreter of the name after it, installed if
#: need be. CannotBuildHere when it is not available on this machine, UserError for an invalid name.
PROVIDERS: Mapping[str, Callable[[str, Home, Progress], Interpreter]] = {
    "pyenv": pyenv_python,
    "path": path_python,
    "uv": uv_python,
    "debian": debian_python,
    "build": built_python,
}


def resolve_interpreter(full: str, home: Home, progress: Progress) -> Interpreter:
    """The interpreter of that full name, e.g. ``pyenv:3.12``; see :data:`PROVIDERS`."""
    provider, name = _split(full)
    return PROVIDERS[provider](name, home, progress)


def interpreter_installed(full: str, home: Home) -> bool:
    """Whether :func:`resolve_interpreter` needs no download: only Debian's are downloaded."""
    provider, name = _split(full)
    return provider != "debian" or debian_python_installed(name, home)


def _split(full: str) -> tuple[str, str]:
    provider, _, name = full.partition(":")
    if provider not in PROVIDERS or not name:
        raise UserError(
            f"invalid interpreter {full!r}; expected PROVIDER:NAME, e.g. pyenv:3.12; providers: "
            f"{', '.join(PROVIDERS)}"
        )
    return provider, name


def python_command(
    text: str, home: Home, progress: Progress, *, seen: tuple[Path, ...] = ()
) -> tuple[str, ...]:
    """The words that start the interpreter, with the options that ``text`` gives it.

    ``text`` is a program, a file, the folder of a virtual environment, a version that ``PATH``,
    pyenv or uv has, or PROVIDER:NAME (``debian:python3.14@forky``); options may follow. Where it
    has a root of its own, the folders ``seen`` are visible there. UserError when there is none.
    """
    try:
        name, *options = shlex.split(text)
    except ValueError as error:
        raise UserError(f"not a command line: {error}", where=f"--python {text}") from None
    provider, colon, _ = name.partition(":")
    if colon and provider in PROVIDERS and provider not in ("path", "pyenv", "uv"):
        try:
            found = resolve_interpreter(name, home, progress)
            box = Box(found.root, readable=(*found.readable, *seen), network=True)
            words = around_program(box, home.sandbox) if found.root else []
        except CannotBuildHere as error:
            raise UserError(str(error), where=f"--python {name}") from None
        return (*words, str(found.program), *options)
    if colon and provider in ("path", "pyenv", "uv"):
        name = name.partition(":")[2]
    return (_program(name, provider if colon else ""), *options)


def _program(name: str, provider: str) -> str:
    """The file of an interpreter of this machine."""
    path = Path(name)
    if path.is_dir():  # a virtual environment, or a prefix
        for inside in ("bin/python", "bin/python3", "bin/pypy3"):
            if os.access(path / inside, os.X_OK):
                return str((path / inside).absolute())
        raise UserError("no bin/python in this folder", where=f"--python {name}")
    if os.sep in name and path.exists():
        if not os.access(path, os.X_OK):
            raise UserError("cannot be executed", where=f"--python {name}")
        return str(path.absolute())
    here = pythons_here()
    if provider in ("", "path") and (on_path := _on_path(name)):
        return on_path
    version = name.removeprefix("python")
    fits = [
        file
        for source, number, file in here
        if provider in ("", source) and (number == version or number.startswith(f"{version}."))
    ]
    if fits and version:
        return str(fits[-1])
    known = ", ".join(dict.fromkeys(f"{s}:{n}" if s != "path" else n for s, n, _ in here))
    wanted = f"{provider}:{name}" if provider else name
    raise UserError(f"no such interpreter here; available: {known}", where=f"--python {wanted}")


def _on_path(name: str) -> str | None:
    """A program of that name on ``PATH``. One of pyenv's shims is a script that starts slowly and
    runs what pyenv chooses in this folder: that is taken, None where it chooses nothing."""
    for candidate in (name, f"python{name}"):
        found = shutil.which(candidate)
        if found is None:
            continue
        if Path(found).parent.name != "shims":
            return found
        done = subprocess.run(
            [found, "-c", "import sys; print(sys.executable)"], capture_output=True, text=True
        )
        if not done.returncode:
            return done.stdout.strip()
    return None
