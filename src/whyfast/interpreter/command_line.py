"""An interpreter that a user names as on a command line: ``python3.12``, ``.venv``, ``3.12``.

Nothing is compiled for it, so headers are not needed and it may be another than CPython. Where
others than those of ``PATH`` come from is imported when one is asked for: that takes longer than
all else here."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.home import Home


def python_command(
    text: str, home: Home, progress: Callable[[str], None], *, seen: tuple[Path, ...] = ()
) -> tuple[str, ...]:
    """The words that start the interpreter, with the options that ``text`` gives it. ``text`` is a
    program, a file, the folder of a virtual environment, a version that ``PATH``, pyenv or uv has,
    or PROVIDER:NAME (``debian:python3.14@forky``); options may follow. Where it has a root of its
    own, the folders ``seen`` are visible there. UserError when there is none."""
    try:
        name, *options = shlex.split(text)
    except ValueError as error:
        raise UserError(f"not a command line: {error}", where=f"--python {text}") from None
    provider, colon, _ = name.partition(":")
    if colon and provider in ("debian", "build"):
        from whyfast.interpreter.providers import resolve_interpreter
        from whyfast.toolchain.sandbox import Box, around_program

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
    if provider in ("", "path") and (on_path := _on_path(name)):
        return on_path
    from whyfast.interpreter.providers import pythons_here

    here = pythons_here()
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
        if chosen := _chosen_by_pyenv(candidate, Path(found).parent.parent):
            return chosen
        done = subprocess.run(
            [found, "-c", "import sys; print(sys.executable)"], capture_output=True, text=True
        )
        if not done.returncode:
            return done.stdout.strip()
    return None


def _chosen_by_pyenv(program: str, root: Path) -> str | None:
    """What the shim of that name in pyenv's folder runs here, where one whole version is chosen;
    None: only pyenv can say."""
    chosen = os.environ.get("PYENV_VERSION", "")
    folder = Path.cwd()
    places = [*(f / ".python-version" for f in (folder, *folder.parents)), root / "version"]
    if not chosen and (file := next((p for p in places if p.is_file()), None)):
        chosen = file.read_text()
    if len(chosen.split()) != 1:
        return None
    place = root / "versions" / chosen.strip() / "bin" / program
    return str(place) if os.access(place, os.X_OK) else None
