"""Compilers that are installed here: ``path:gcc-12``, ``path:rustc``, ``path:/opt/bin/clang``."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.toolchain import Toolchain
from whyfast.store.home import Home
from whyfast.toolchain.command import first_line
from whyfast.toolchain.languages import Installed, ask, language_of
from whyfast.toolchain.probe import features
from whyfast.toolchain.provider import Cost, Progress

_COMPILER = re.compile(r"^((gcc|g\+\+|clang|clang\+\+)(-\d+(\.\d+)?)?|rustc|cargo|go|python3)$")


class PathProvider:
    """Whatever the user has on ``PATH``."""

    def names(self) -> list[str]:
        """Every compiler of C, C++, Rust and Go on PATH, by the name it is called."""
        found: set[str] = set()
        for folder in os.get_exec_path():
            try:
                found.update(n for n in os.listdir(folder) if _COMPILER.match(n))
            except OSError:
                continue
        return sorted(found)

    def installed(self, name: str, home: Home, packages: Sequence[str] = ()) -> bool:
        return shutil.which(name) is not None

    def cost(self, name: str, packages: Sequence[str] = ()) -> Cost:
        return Cost()

    def size(self, name: str, home: Home) -> int:
        return 0

    def remove(self, name: str, home: Home) -> None:
        raise UserError(f"path:{name} belongs to the system; whyfast has nothing to remove")

    def resolve(
        self, name: str, home: Home, progress: Progress, packages: Sequence[str] = ()
    ) -> Toolchain:
        """The compiler as found; its digest is over the programs that do the work."""
        compiler = shutil.which(name)
        if compiler is None:
            here = ", ".join(self.names()) or "none"
            raise CannotBuildHere(f"{name} is not installed (on PATH here: {here})")
        compiler = os.path.abspath(compiler)  # steps run in another folder
        language = language_of(name)
        found = ask(language, compiler, first_line)
        if not found.version:
            raise CannotBuildHere(f"{compiler} --version says nothing: is it a compiler?")
        digest = _digest(found)
        cc, probes = (found.program,), home.cache / "probes"
        usable: frozenset[str] = frozenset()
        if language in ("c", "c++", ""):
            try:
                usable = features(cc, dict(os.environ), digest, probes)
                language = language or "c"
            except CannotBuildHere:
                if language:
                    raise
                # Of a name that says nothing: a compiler of some other language.
        env = dict(found.env)
        writable: tuple[Path, ...] = ()
        if language == "go":
            # Its standard library is compiled once and not for every build; entries go by content.
            writable = (home.cache / "go" / digest[:12],)
            writable[0].mkdir(parents=True, exist_ok=True)
            env["GOCACHE"] = str(writable[0])
        return Toolchain(
            name=f"path:{name}",
            provider="path",
            version=short_version(found.version),
            target=found.target or "unknown",
            digest=digest,
            cc=cc,
            features=usable,
            env=env,
            readable=found.readable,
            writable=writable,
            language=language,
        )


def short_version(line: str) -> str:
    """``"clang version 19.1.7 (https://…)"`` → ``"clang 19.1.7"``; others' likewise."""
    found = re.search(r"\d+\.\d+(\.\d+)?", line.rpartition(")")[2] or line) or re.search(
        r"\d+\.\d+(\.\d+)?", line
    )
    if not found:
        return line
    known = re.search(r"clang|g\+\+|gcc|GCC|(?<!\w)cc (?=\()", line)
    name = known[0].lower().removesuffix(" ") if known else re.split(r"[\s\d]", line.strip())[0]
    return f"{'gcc' if name in ('cc', 'g++') else name} {found.group(0)}"


def _digest(found: Installed) -> str:
    """sha256 over the version, the program, and the files that do the work for it."""
    total = hashlib.sha256(found.version.encode())
    for path in (Path(found.program), *found.files):
        # The linker is often said by its name alone.
        place = shutil.which(path) or (str(path) if path.is_file() else None)
        if place is None:
            continue
        with Path(place).resolve().open("rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()
