"""Where interpreters come from: ``PATH``, a file, pyenv, uv, a build of a study, or Debian, each
suite of which is in a root of its own (``debian:python3.14@forky``)."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whyfast.interpreter.facts import ask, corrected, digest_of, needs_libpython
from whyfast.model.build import Interpreter
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.builds import BuildStore, StoredBuild
from whyfast.store.home import Home
from whyfast.store.samples import SampleStore
from whyfast.study.axes import pyenv_folder, pyenv_versions, pythons_on_path, version_key
from whyfast.toolchain import Progress, sandbox
from whyfast.toolchain.debian_root import ensure_root, is_complete, place_of, spec_here


def path_python(name: str, home: Home, progress: Progress) -> Interpreter:
    """Whatever the user has on ``PATH``, or names by its file: ``path:/opt/bin/python3``."""
    program = shutil.which(name)
    if program is None:
        available = ", ".join(pythons_on_path()) or "none"
        raise CannotBuildHere(f"{name} is not installed; on PATH: {available}")
    return local_interpreter(f"path:{name}", Path(program).absolute())


def pyenv_python(name: str, home: Home, progress: Progress) -> Interpreter:
    """pyenv's version of that name (``pyenv:3.12.1``), or the newest that begins with it
    (``pyenv:3.12``)."""
    installed = pyenv_versions()
    versions = [v for v in installed if v == name or v.startswith(f"{name}.")]
    if not versions:
        available = ", ".join(installed) or "none"
        raise CannotBuildHere(f"pyenv has no {name}; installed: {available}; pyenv install {name}")
    program = pyenv_folder() / versions[-1] / "bin" / "python"
    if not os.access(program, os.X_OK):
        raise CannotBuildHere(f"{program} cannot be run")
    return local_interpreter(f"pyenv:{name}", program)


def uv_python(name: str, home: Home, progress: Progress) -> Interpreter:
    """The newest version of that name that uv has installed: ``uv:3.13``."""
    installed = uv_pythons()
    fits = [file for v, file in installed if v == name or v.startswith(f"{name}.")]
    if not fits:
        available = ", ".join(v for v, _ in installed) or "none"
        raise CannotBuildHere(f"uv has no {name}; installed: {available}; uv python install {name}")
    return local_interpreter(f"uv:{name}", fits[-1])


def uv_pythons() -> list[tuple[str, Path]]:
    """Version and file of each, the oldest first (``UV_PYTHON_INSTALL_DIR`` moves their folder)."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    folder = Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or f"{data}/uv/python")
    found = []
    for file in folder.glob("*/bin/python3"):
        kind, _, rest = file.parents[1].name.partition("-")  # cpython-3.13.1-linux-x86_64-gnu
        if kind == "cpython" and not file.parents[1].is_symlink():
            found.append((rest.partition("-")[0], file))
    return sorted(found, key=lambda pair: version_key(pair[0]))


def pythons_here() -> list[tuple[str, str, Path]]:
    """(provider, version, file) of every interpreter that PATH, pyenv and uv have, the oldest of
    each first."""
    on_path = [(n.removeprefix("python"), shutil.which(n)) for n in pythons_on_path()]
    return [
        *(("path", version, Path(file)) for version, file in on_path if file),
        *(("pyenv", v, pyenv_folder() / v / "bin" / "python") for v in pyenv_versions()),
        *(("uv", version, file) for version, file in uv_pythons()),
    ]


def local_interpreter(name: str, program: Path) -> Interpreter:
    """The interpreter of that file, by its full ``name``; CannotBuildHere when it is no CPython, or
    extensions cannot be made for it."""
    answer = ask([str(program)])
    headers = [f for f in answer.headers if (f / "Python.h").is_file()]
    if not headers:
        raise CannotBuildHere(
            f"{answer.program} has no headers ({answer.headers[0]}/Python.h is missing)"
        )
    # A prefix of /usr is the machine's own, which is seen in any case.
    prefixes = [
        p for p in answer.prefixes if p not in (Path("/usr"), Path("/usr/local"), Path("/"))
    ]
    return Interpreter(
        name=name,
        version=answer.version,
        program=answer.program,
        digest=digest_of(answer),
        cflags=tuple(f"-I{f}" for f in headers),
        headers=tuple(headers),
        readable=tuple(dict.fromkeys((*prefixes, Path(os.path.dirname(answer.program))))),
        facts=corrected(answer.facts, needs_libpython(answer.program)),
    )


def built_python(name: str, home: Home, progress: Progress) -> Interpreter:
    """The program of a build of the newest result of a study, ``build:cpython-tail-call/clang18``,
    in the root that it was built in, if any."""
    study, slash, variant = name.rpartition("/")
    if not (study and slash and variant):
        raise UserError(
            f"invalid interpreter build:{name}; expected build:STUDY/VARIANT, e.g. "
            "build:cpython-tail-call/clang18"
        )
    build = _build(study, variant, home)
    recorded = build.provenance["toolchain"].get("root")
    root = Path(recorded) if recorded else None
    box = sandbox.Box(root, readable=(build.folder,), network=True)
    words = sandbox.around_program(box, home.sandbox) if root else []
    answer = ask([*words, str(build.folder / "work" / str(build.provenance["program"]))])
    return Interpreter(
        name=f"build:{name}",
        version=answer.version,
        program=answer.program,
        digest=digest_of(answer),
        cflags=tuple(f"-I{place}" for place in answer.headers),
        headers=answer.headers,
        readable=(build.folder,),
        root=root,
        facts=answer.facts,
    )


def _build(study: str, variant: str, home: Home) -> StoredBuild:
    """CannotBuildHere when the study was not run here, or its build is gone."""
    with closing(SampleStore(home.database)) as samples:
        latest = samples.latest(study)
    if latest is None:
        raise CannotBuildHere(f"{study} has no results here; whyfast run {study}")
    builds: list[dict[str, Any]] = (
        latest[1].get("data", latest[1]).get("recorded", {}).get("builds", [])
    )
    digests = [b["digest"] for b in builds if b.get("variant") == variant and "digest" in b]
    if not digests:
        there = ", ".join(str(b.get("variant")) for b in builds if "digest" in b) or "none"
        raise CannotBuildHere(f"{study} has no build {variant} here; available: {there}")
    build = BuildStore(home.builds).find(digests[0])
    if build is None:
        raise CannotBuildHere(f"the build {variant} of {study} was removed; whyfast run {study}")
    return build


_NAME = re.compile(r"(?P<python>python(?P<version>\d+\.\d+))@(?P<suite>[a-z][a-z0-9.-]*)")
#: Bytes that a root takes, about: seen 0.25 GB with the headers.
NEED = 350_000_000


@dataclass(frozen=True)
class DebianPython:
    """An interpreter of a suite; ``program`` is ``python3.14``."""

    program: str
    suite: str

    @property
    def packages(self) -> tuple[str, ...]:
        """What has to be installed to run it and to compile against it."""
        return (self.program, f"lib{self.program}-dev")


def debian_python_installed(name: str, home: Home) -> bool:
    """Whether :func:`debian_python` needs no download."""
    return is_complete(root_folder(home, parse_name(name)))


def debian_python(name: str, home: Home, progress: Progress) -> Interpreter:
    """The interpreter of a suite; its root is created if it is new, which takes about a minute."""
    wanted = parse_name(name)
    sandbox.must_enter_roots()
    folder = root_folder(home, wanted)
    what = f"{wanted.program} of Debian {wanted.suite}"
    ensure_root(folder, lambda: spec_here(wanted.suite, wanted.packages, NEED), what, progress)
    return _interpreter(f"debian:{name}", wanted, folder, home)


def parse_name(name: str) -> DebianPython:
    """UserError for a name of another form."""
    match = _NAME.fullmatch(name)
    if not match:
        raise UserError(
            f"invalid interpreter debian:{name}; expected debian:pythonVERSION@SUITE, e.g. "
            "debian:python3.14@forky"
        )
    return DebianPython(match["python"], match["suite"])


def root_folder(home: Home, name: DebianPython) -> Path:
    """Where the root with that interpreter is or will be."""
    return place_of(home, f"debian-{name.suite}-{name.program}", name.packages)


def _interpreter(full: str, name: DebianPython, folder: Path, home: Home) -> Interpreter:
    root = folder / "root"
    box = sandbox.Box(root, network=True)
    answer = ask([*sandbox.around_program(box, home.sandbox), f"/usr/bin/{name.program}"])
    headers = tuple(root / place.relative_to("/") for place in answer.headers)
    if not any((place / "Python.h").is_file() for place in headers):
        raise CannotBuildHere(f"{full} has no headers: {headers[0]}/Python.h is missing")
    # Its headers include others by their place below /usr/include; those of the C library, which
    # are there too, must come after the compiler's own.
    shared = root / "usr" / "include"
    return Interpreter(
        name=full,
        version=answer.version,
        program=answer.program,
        digest=hashlib.sha256(
            f"{digest_of(answer, root)} {(folder / 'digest').read_text().strip()}".encode()
        ).hexdigest(),
        cflags=(*(f"-I{place}" for place in headers), "-idirafter", str(shared)),
        headers=(shared,),
        root=root,
        facts=corrected(answer.facts, needs_libpython(root / answer.program.relative_to("/"))),
    )


# The providers by name, of which a new one is a function and a line here.

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
