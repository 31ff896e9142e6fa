"""What an interpreter says of itself and of how it was built, and the digest over it."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whyfast.model.errors import CannotBuildHere
from whyfast.store.files import sha256_of
from whyfast.toolchain import run

#: Where sysconfig keeps flags of the compiler, the last of them on a command line first.
_FLAGS = ("PY_CORE_CFLAGS", "PY_CFLAGS_NODIST", "CONFIGURE_CFLAGS_NODIST", "PY_CFLAGS", "OPT")
#: Options that change what the compiler makes of the same source.
_TELLING = re.compile(r"-O\w*|-march=\S+|-mtune=\S+|-fno-semantic-interposition")
_HARDENING = re.compile(r"-fstack-protector\S*|-fcf-protection\S*|-D_FORTIFY_SOURCE=\d")


def facts_of(compiler: str, variables: Mapping[str, object]) -> dict[str, str]:
    """``compiler`` is ``platform.python_compiler()``, ``variables`` those of sysconfig. The keys
    are :data:`whyfast.model.build.FACTS`. An option of configure and the flags that it leads to
    both count: distributions give the flags by hand."""
    arguments = str(variables.get("CONFIG_ARGS") or "")
    flags = " ".join(str(variables.get(name) or "") for name in _FLAGS)
    pgo = "--enable-optimizations" in arguments or "-fprofile-use" in flags
    lto = re.search(r"--with-lto(?!=no)", arguments) or "-flto" in flags
    debug = variables.get("Py_DEBUG") or "--with-pydebug" in arguments
    kinds = ["debug" if debug else "release"]
    if variables.get("Py_GIL_DISABLED"):
        kinds.append("without the GIL")
    return {
        "compiler": " ".join(re.sub(r"\[|\]", " ", compiler).split()),
        "flags": _flags_text(variables),
        "PGO": "with PGO" if pgo else "without PGO",
        "LTO": "with LTO" if lto else "without LTO",
        "libpython": "shared" if variables.get("Py_ENABLE_SHARED") else "in the program",
        "build": " ".join(kinds),
    }


def corrected(facts: Mapping[str, str], linked: bool | None) -> dict[str, str]:
    """The facts of a program that is ``linked`` with a libpython or not; None: not known. Debian's
    program is not, and its sysconfig describes its libpython, which was configured apart: for the
    program that leaves PGO and LTO open."""
    claimed = facts["libpython"] == "shared"
    if linked is None or linked == claimed:
        return dict(facts)
    where = "shared" if linked else "in the program"
    return {**facts, "libpython": where, "PGO": "not known", "LTO": "not known"}


def needs_libpython(program: Path) -> bool | None:
    """Whether that program is linked with a shared libpython; None when it is no ELF file."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.dynamic import DynamicSection
    from elftools.elf.elffile import ELFFile

    try:
        with program.open("rb") as file:
            dynamic = ELFFile(file).get_section_by_name(".dynamic")
            if not isinstance(dynamic, DynamicSection):
                return False
            needed = (str(getattr(tag, "needed", "")) for tag in dynamic.iter_tags("DT_NEEDED"))
            return any(name.startswith("libpython") for name in needed)
    except (OSError, ELFError):
        return None


def _flags_text(variables: Mapping[str, object]) -> str:
    """The level of optimisation, of which the last on the command line holds, and hardening."""
    words = " ".join(
        str(variables.get(name) or "") for name in ("OPT", "PY_CFLAGS", "CONFIGURE_CFLAGS")
    ).split()
    levels = [w for w in words if re.fullmatch(r"-O\w*", w)]
    others = [w for w in words if _TELLING.fullmatch(w) and w not in levels]
    hardening = [w for w in words if _HARDENING.fullmatch(w)]
    return " ".join(dict.fromkeys([*levels[-1:], *sorted(others), *sorted(hardening)]))


_HEADERS = ("Python.h", "patchlevel.h", "pyconfig.h")

#: Seconds that the answer of an interpreter may take.
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
    "Py_GIL_DISABLED", "Py_ENABLE_SHARED", "LIBDIR", "INSTSONAME")
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
class PythonFacts:
    """``program`` is its real file, ``headers`` the folders of its headers and ``library`` its
    shared library, if it has one, all as seen from inside of its root. ``facts`` as in
    :class:`Interpreter`."""

    version: str
    program: Path
    prefixes: tuple[Path, ...]
    headers: tuple[Path, ...]
    library: Path | None
    facts: Mapping[str, str]


def ask(command: Sequence[str]) -> PythonFacts:
    """The answer of the interpreter that ``command`` starts; CannotBuildHere when there is none,
    or it is no CPython."""
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"}
    try:
        done = run([*command, "-c", _QUESTION], timeout=TIMEOUT, env=env)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotBuildHere(f"{command[0]} cannot be identified: {error}") from None
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"it ends with {done.returncode}"]
        raise CannotBuildHere(f"{command[0]} cannot be identified: {lines[-1][:200]}")
    try:
        data: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise CannotBuildHere(
            f"{command[-1]} is not a Python; it printed {done.stdout[:60]!r}"
        ) from None
    if data["implementation"] != "CPython":
        raise CannotBuildHere(f"{command[-1]} is {data['implementation']}, not CPython")
    variables = data["variables"]
    shared = variables["Py_ENABLE_SHARED"] and variables["LIBDIR"] and variables["INSTSONAME"]
    return PythonFacts(
        version=data["version"],
        program=Path(data["real"]),
        prefixes=tuple(map(Path, data["prefixes"])),
        headers=tuple(map(Path, data["headers"])),
        library=Path(variables["LIBDIR"], variables["INSTSONAME"]) if shared else None,
        facts=facts_of(data["compiler"], variables),
    )


def digest_of(answer: PythonFacts, root: Path | None = None) -> str:
    """sha256 over its place, version, program, shared library and the headers that show how it was
    configured; files that are gone are left out."""
    total = hashlib.sha256(f"{root or ''} {answer.program} {answer.version}".encode())
    files = [answer.program, *([answer.library] if answer.library else [])]
    files += [folder / name for folder in answer.headers for name in _HEADERS]
    for file in files:
        place = (root or Path("/")) / file.relative_to("/")
        if place.is_file():
            total.update(bytes.fromhex(sha256_of(place)))
    return total.hexdigest()
