"""Which builds can stand for each other: all that they could run is equal."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from whyfast.model.build import Build
from whyfast.store.digest import sha256_of

#: What a program does not read when it runs: source text of compilers, objects, what build systems
#: note down, documentation. Anything else that differs could be a part of the program.
_NOT_RUN = re.compile(
    r"\.(c|h|cc|cpp|cxx|c\+\+|hpp|hh|hxx|ipp|tcc|m|mm|s|S|asm|f|f90|rs|go|zig)"
    r"|\.(o|obj|lo|la|a|gch|pch|gcno|gcda|rlib|rmeta|d|dep|deps|stamp|log|status|cache)"
    r"|\.(ac|am|in|m4|mk|cmake|ninja|patch|diff|lock|yml|yaml|md|rst|adoc|tex|[1-8])"
)
_NOT_RUN_NAMES = re.compile(
    r"(GNU)?[Mm]akefile|CMakeLists\.txt|Cargo\.toml|go\.(mod|sum)|meson\.build"
    r"|configure|config\.status|stamp-h\d*|README(\.txt)?|LICENSE(\.txt)?|COPYING|AUTHORS|NEWS"
    r"|ChangeLog|[Cc]hanges|CHANGES|TODO"
)


def differing_files(a: Build, b: Build) -> tuple[str, ...]:
    """The files of two build folders that differ, or that one of them lacks, and that a program
    could read when it runs; names relative to the folder, sorted.

    The programs themselves are not looked at. Folders that begin with a dot are those of tools.
    """
    one, other = _files(a), _files(b)
    return tuple(
        name
        for name in sorted(one.keys() | other.keys())
        if name not in (a.provenance.get("program"), b.provenance.get("program"))
        and _could_be_read(name)
        and not _equal(one.get(name), other.get(name))
    )


def _folder(build: Build) -> Path:
    """Where its steps ran."""
    inside = PurePosixPath(str(build.provenance.get("program", build.program.name)))
    return build.program.parents[len(inside.parts) - 1]


def _files(build: Build) -> Mapping[str, Path]:
    folder = _folder(build)
    return {
        str(path.relative_to(folder)): path
        for path in folder.rglob("*")
        if path.is_file() and not any(p.startswith(".") for p in path.relative_to(folder).parts)
    }


def _could_be_read(name: str) -> bool:
    path = PurePosixPath(name)
    return not (_NOT_RUN.fullmatch(path.suffix) or _NOT_RUN_NAMES.fullmatch(path.name))


def _equal(a: Path | None, b: Path | None) -> bool:
    if a is None or b is None:
        return False
    return a.stat().st_size == b.stat().st_size and sha256_of(a) == sha256_of(b)
