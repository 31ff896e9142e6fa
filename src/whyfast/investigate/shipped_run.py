"""The survey of shipped interpreters: each program of a list in each suite, one row at a time.

A row is kept under the digest of its package as soon as it is known, so that the same command goes
on where it was stopped. What fails is a row with its reason.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

from whyfast.explain.interpreter_loop import LoopSearch, unseen_notes
from whyfast.explain.objects.containers import debug_files, taken_out
from whyfast.explain.options import read_recorded
from whyfast.explain.program import load
from whyfast.model.codec import Malformed, decode, encode
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.shipped import ShippedProgram, ShippedRow, shipped_verdict
from whyfast.store.files import write_whole
from whyfast.toolchain.archive import Binary
from whyfast.toolchain.packages import PackageFile, PackageName

#: Suites of Debian that a survey looks at.
SUITES = ("bookworm", "trixie", "sid")
#: Counted up when the same package gives another row.
_VERSION = "1"


class PackageSource(Protocol):
    """Where packages come from: the archive, or files of a test."""

    def look_up(self, names: Iterable[str], suite: str) -> dict[str, Binary]:
        """The packages of a suite by name; CannotBuildHere without its index."""

    def fetch(self, wanted: PackageName) -> PackageFile:
        """A package as a file; CannotBuildHere when that fails."""


def shipped_programs(only: Sequence[str] = ()) -> tuple[ShippedProgram, ...]:
    """The bundled list, or those of it whose name or package contains one of ``only``. UserError
    for one that none contains."""
    text = (files("whyfast.investigate") / "shipped.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(text)["program"]
    programs: list[ShippedProgram] = [decode(ShippedProgram, entry) for entry in entries]
    for word in only:
        if not any(_is_called(p, word) for p in programs):
            names = ", ".join(p.name for p in programs)
            raise UserError(f"no such program: {word}; available: {names}", where="--only")
    return tuple(p for p in programs if not only or any(_is_called(p, w) for w in only))


def _is_called(program: ShippedProgram, word: str) -> bool:
    return any(word.lower() in name.lower() for name in (program.name, *program.packages))


def survey_shipped(
    programs: Sequence[ShippedProgram],
    suites: Sequence[str],
    source: PackageSource,
    kept: Path,
    progress: Callable[[str], None],
) -> Iterator[ShippedRow]:
    """A row for each program in each suite that ships it, by program. ``kept`` is the folder in
    which rows are kept."""
    names = {name for program in programs for name in program.packages}
    listed: dict[str, dict[str, Binary] | str] = {}
    for suite in suites:
        progress(f"looking up {len(names)} packages in {suite}")
        try:
            listed[suite] = source.look_up(names, suite)
        except CannotBuildHere as error:
            listed[suite] = str(error)
    for program in programs:
        for suite in suites:
            packages = listed[suite]
            if isinstance(packages, str):
                yield ShippedRow(program, suite, "failed", why=packages)
            else:
                yield _row(program, suite, packages, source, kept, progress)


def _row(
    program: ShippedProgram,
    suite: str,
    packages: Mapping[str, Binary],
    source: PackageSource,
    kept: Path,
    progress: Callable[[str], None],
) -> ShippedRow:
    binary = next((packages[name] for name in program.packages if name in packages), None)
    if binary is None:
        return ShippedRow(program, suite, "not shipped")
    known = kept / f"{_key(program, binary)}.json"
    bare = ShippedRow(
        program, suite, "failed", binary.package, binary.version, sha256=binary.sha256
    )
    if (row := _recorded(known)) is not None:
        verdict = shipped_verdict(program, row.facts)
        return replace(row, program=program, suite=suite, verdict=verdict, package=bare.package)
    progress(f"{program.name} in {suite}: {binary.package} {binary.version}")
    try:
        row = examined(bare, source.fetch(PackageName(binary.package, suite)))
    except (CannotBuildHere, UserError) as error:
        return replace(bare, why=str(error))
    kept.mkdir(parents=True, exist_ok=True)
    write_whole(known, json.dumps(encode(row)))
    return row


def _key(program: ShippedProgram, binary: Binary) -> str:
    text = f"{_VERSION} {binary.sha256} {program.part} {program.source}"
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _recorded(file: Path) -> ShippedRow | None:
    try:
        data: Any = json.loads(file.read_text(encoding="utf-8"))
        row: ShippedRow = decode(ShippedRow, data)
    except (OSError, ValueError, Malformed):
        return None
    return row


def examined(bare: ShippedRow, package: PackageFile) -> ShippedRow:
    """What a package holds. UserError where it cannot be read."""
    with tempfile.TemporaryDirectory(prefix="whyfast-") as name:
        folder = Path(name)
        debug = folder / "debug"
        debug.mkdir()
        if package.debug is not None:
            debug_files(package.debug, debug)
        parts = folder / "parts"
        parts.mkdir()
        taken = taken_out(Path(f"{package.path}:{bare.program.part}"), parts)
        program = load(taken.path, None, (debug,))
        found = LoopSearch(program).interpreter()
        recorded = read_recorded(taken.path, found.address if found else None)
    facts = found.facts if found else None
    symbols = f"{package.name.name}-dbgsym" if package.debug else "none"
    if not any(f.unnamed for f in program.functions):
        symbols = "in the file"
    return replace(
        bare,
        verdict=shipped_verdict(bare.program, facts),
        file=taken.name.partition(":")[2],
        compiler=recorded.compiler,
        function=found.name if found else "",
        facts=facts,
        symbols=symbols,
        why="; ".join(unseen_notes(program)),
    )
