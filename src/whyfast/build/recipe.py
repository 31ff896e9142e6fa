"""Everything that decides a build, and the digest over it; :func:`differing_files`: whether builds
can stand for each other."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from whyfast.model.build import Build, Interpreter, Toolchain, is_layout
from whyfast.model.study import BuildSpec, Study
from whyfast.model.variant import Variant
from whyfast.store.files import sha256_of
from whyfast.store.git import ignored_by_git
from whyfast.store.home import Home
from whyfast.study.notation import names_in
from whyfast.toolchain.registry import installed

#: Part of every digest: raise it when the way of building changes the result.
FORMAT = 1

#: Set for every step and nothing else but the toolchain's and the study's own variables: the
#: user's environment must not decide a build.
BASE_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LC_ALL": "C",
    "TZ": "UTC",
    "SOURCE_DATE_EPOCH": "315532800",
    # Generators write what is in a set in its order, which has a random key else.
    "PYTHONHASHSEED": "0",
}

_IGNORED = {".git", ".hg", "__pycache__", ".venv"}
#: What ``whyfast new`` writes into a project, for people and check, not for its build.
_OWN = re.compile(r"whyfast\.toml|whyfast_bench_.*")


@dataclass(frozen=True)
class SourceTree:
    """The files of a source folder: relative name → sha256; ``digest`` is over all of them."""

    folder: Path
    files: dict[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        return hashlib.sha256(json.dumps(sorted(self.files.items())).encode()).hexdigest()


def scan_source(folder: Path) -> SourceTree:
    """Hash every file below ``folder``, version control, caches, what git ignores and what whyfast
    wrote left out: make takes a program that was built there for up to date. Executable bits count,
    since a build may run a script of the source."""
    names: list[str] = []
    ignored = ignored_by_git(folder)
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if _IGNORED.intersection(relative.parts) or not path.is_file():
            continue
        if _OWN.fullmatch(path.name):
            continue
        if ignored.isdisjoint([relative, *relative.parents]):
            names.append(str(relative))
    return hash_files(folder, names)


def hash_files(folder: Path, names: Iterable[str]) -> SourceTree:
    """Those files, whatever git says of the folder that they are in: a copy of a source lies in the
    cache, which may be in a repository, too."""
    files: dict[str, str] = {}
    for name in names:
        mode = "x" if (folder / name).stat().st_mode & 0o100 else "-"
        files[name] = mode + sha256_of(folder / name)
    return SourceTree(folder, files)


def source_size(source: SourceTree) -> int:
    """Bytes of all its files; missing ones count nothing."""
    total = 0
    for name in source.files:
        with contextlib.suppress(OSError):
            total += (source.folder / name).stat().st_size
    return total


def forget_reading(folder: Path, names: Sequence[str]) -> bool:
    """Give all files one and the same date, of reading as well: what is newer than what must not
    decide a build. False where this file system does not note when a file is read."""
    date = int(BASE_ENVIRONMENT["SOURCE_DATE_EPOCH"])
    for name in names:
        os.utime(folder / name, (date, date))
    for name in names:
        if (folder / name).read_bytes():
            noted = (folder / name).stat().st_atime != date
            os.utime(folder / name, (date, date))
            return noted
    return False


@dataclass(frozen=True)
class Recipe:
    """A build before it is made. ``inputs`` is plain JSON data; ``digest`` is over it.
    ``packages`` are what the steps need beside the compiler. ``env`` has the values that
    ``inputs`` hides. ``profile`` is the number of the training run, 0 for the first. ``keep`` are
    patterns of sections that stay together in other layouts. ``beside``: a folder, made by the same
    first steps, in a copy of which they go on, and the one in which it was made."""

    variant: str
    inputs: dict[str, Any]
    toolchain: Toolchain
    source: SourceTree
    steps: tuple[str, ...]
    env: dict[str, str]
    program: str
    link: str | None = None
    interpreter: Interpreter | None = None
    packages: tuple[str, ...] = ()
    profile: int = 0
    keep: tuple[str, ...] = ()
    beside: tuple[Path, Path] | None = None

    def trained_again(self, profile: int) -> Recipe:
        """The same with the profile of another training run; its layouts are not wanted."""
        inputs = {**self.inputs, "profile": profile}
        return replace(self, inputs=inputs, profile=profile, link=None)

    @property
    def hidden(self) -> dict[str, str]:
        """What stands for the values of ``env`` that are hidden."""
        return {k: v for k, v in self.inputs["env"].items() if self.env[k] != v}

    @property
    def digest(self) -> str:
        text = json.dumps(self.inputs, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def make_recipe(
    study: Study,
    variant: Variant,
    toolchain: Toolchain,
    source: SourceTree,
    interpreter: Interpreter | None = None,
) -> Recipe:
    """Combine a variant with its toolchain, source and interpreter. Steps run in the build folder,
    the source in ``src``, which ``{source}`` names, so that no absolute path gets into the program.
    A variant for evidence alone is built by the shorter steps, if any."""
    env = {**BASE_ENVIRONMENT, **toolchain.env, **study.build.env, **variant.env}
    real = {name: study.hidden.get(value, value) for name, value in env.items()}
    steps, program = steps_of(study.build, variant)
    uses_headers = any("include" in names_in(step) for step in steps)
    inputs = {
        "format": FORMAT,
        "source": source.digest,
        "toolchain": toolchain.digest,
        "cc_flags": list(toolchain.cc[1:]),
        "cflags": list(variant.cflags),
        "ldflags": list(variant.ldflags),
        "configure": list(variant.configure),
        # The toolchain's own may hold paths of this machine; its digest stands for them.
        "env": {k: v for k, v in env.items() if toolchain.env.get(k) != v},
        "steps": list(steps),
        "include": scan_source(include_folder()).digest if uses_headers else None,
        "program": program,
    }
    if toolchain.language == "cargo":
        inputs["folder"] = (
            "kept out by a wrapper of rustc, as are versions of the source's packages"
        )
    if interpreter:
        inputs["interpreter"] = interpreter.digest
    # What is not measured is not linked again.
    link = None if variant.evidence_only else study.build.link
    return Recipe(
        *(variant.name, inputs, toolchain, source, steps, real, program, link, interpreter),
        packages=packages_of(study.build, variant),
        keep=variant.keep,
    )


def steps_of(build: BuildSpec, variant: Variant) -> tuple[tuple[str, ...], str]:
    """The steps that make the variant, and what they make."""
    if variant.evidence_only and build.evidence:
        return build.evidence.steps, build.evidence.object
    return (*build.steps, *([build.link] if build.link else [])), build.program


def packages_of(build: BuildSpec, variant: Variant) -> tuple[str, ...]:
    """What the steps of the variant need beside its compiler."""
    common = build.evidence if variant.evidence_only and build.evidence else build
    return tuple(dict.fromkeys((*common.packages, *variant.packages)))


def packages_here(build: BuildSpec, variant: Variant, home: Home) -> tuple[str, ...]:
    """:func:`packages_of`; for evidence alone all packages of the study, where a toolchain with
    those is installed and one with the fewer is not. The digest is of the toolchain that is
    used."""
    few = packages_of(build, variant)
    if not (variant.evidence_only and build.evidence):
        return few
    all_ = tuple(dict.fromkeys((*build.packages, *few)))
    if installed(variant.toolchain, home, few) or not installed(variant.toolchain, home, all_):
        return few
    return all_


def include_folder() -> Path:
    """The headers for programs of the user's own (``whyfast_turn.h``); ``{include}`` in a step."""
    return Path(__file__).resolve().parent.parent / "turns" / "include"


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


def not_run(name: str) -> bool:
    """Whether no program reads a file of that name when it runs."""
    path = PurePosixPath(name)
    return bool(_NOT_RUN.fullmatch(path.suffix) or _NOT_RUN_NAMES.fullmatch(path.name))


def differing_files(a: Build, b: Build) -> tuple[str, ...]:
    """The files of two build folders that differ, or that one of them lacks, and that a program
    could read when it runs; names relative to the folder, sorted. The programs themselves are not
    looked at. Folders that begin with a dot are those of tools."""
    files = _files(a), _files(b)
    programs = (a.provenance.get("program"), b.provenance.get("program"))
    return tuple(
        name
        for name in sorted(files[0].keys() | files[1].keys())
        if name not in programs
        and not not_run(name)
        and (
            not all(name in side for side in files)
            or files[0][name].stat().st_size != files[1][name].stat().st_size
            or sha256_of(files[0][name]) != sha256_of(files[1][name])
        )
    )


def _files(build: Build) -> Mapping[str, Path]:
    """What lies in the folder that its steps ran in."""
    inside = PurePosixPath(str(build.provenance.get("program", build.program.name)))
    folder = build.program.parents[len(inside.parts) - 1]
    return {
        str(path.relative_to(folder)): path
        for path in folder.rglob("*")
        if path.is_file()
        and not is_layout(path.name)
        and not any(p.startswith(".") for p in path.relative_to(folder).parts)
    }
