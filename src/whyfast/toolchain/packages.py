"""Binary packages of the Debian archive as files, ``deb:lua5.4@trixie``, for an ordinary user with
apt: versions and digests come from the suite's signed index, a package is kept under its digest,
symbols come from the archive of debug symbols."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from debian.debian_support import Version

from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.files import sha256_of, write_whole
from whyfast.store.home import Home
from whyfast.toolchain import archive
from whyfast.toolchain.archive import Binary, debug_address
from whyfast.toolchain.provider import Progress

PREFIX = "deb:"
#: Of a package whose suite is not named.
DEFAULT_SUITE = "trixie"
ARCHITECTURE = "amd64"
_SPEC = re.compile(
    r"deb:(?P<name>[a-z0-9][a-z0-9+.-]+)(@(?P<suite>[a-z][a-z0-9.-]*))?(:(?P<part>.+))?"
)
#: What a server answers, in apt's message.
_STATUS = re.compile(r"Failed to fetch \S+\s+(?P<status>\d{3}\s[^\[]*[^\[\s])")
#: Seconds for which a suite's index is not asked again.
_FRESH = 24 * 3600.0


@dataclass(frozen=True, order=True)
class PackageName:
    """A binary package of a suite; ``part`` is the file in it that is meant, empty for the largest
    with machine code."""

    name: str
    suite: str
    part: str = ""

    def __str__(self) -> str:
        return f"deb:{self.name}@{self.suite}"


@dataclass(frozen=True)
class PackageFile:
    """A package that lies at ``path``. ``debug`` is the package with its symbols, None where there
    is none, and ``why_no_debug`` says why."""

    name: PackageName
    version: str
    path: Path
    debug: Path | None = None
    why_no_debug: str = ""


def parse_package(text: str) -> PackageName:
    """UserError for another form than ``deb:NAME@SUITE:PART``; suite and part may be left out."""
    match = _SPEC.fullmatch(text)
    if match is None:
        raise UserError(
            f"invalid package: {text}; expected deb:NAME@SUITE, e.g. deb:lua5.4@sid, optionally "
            "with :FILE of the package"
        )
    return PackageName(match["name"], match["suite"] or DEFAULT_SUITE, match["part"] or "")


class Packages:
    """The archive, asked once a day for each suite; packages lie in the cache under their
    digest."""

    def __init__(self, home: Home, progress: Progress) -> None:
        self._folder = home.cache / "packages"
        self._progress = progress

    def look_up(self, names: Iterable[str], suite: str) -> dict[str, Binary]:
        """The newest version of each package that the suite's signed index has; packages that it
        has not are left out. CannotBuildHere when the index is not available."""
        return self._listed(set(names), suite, self._main)

    def fetch(self, wanted: PackageName, *, debug: bool = True) -> PackageFile:
        """The package as a file. CannotBuildHere when the archive does not have it."""
        listed = self.look_up([wanted.name], wanted.suite)
        if wanted.name not in listed:
            raise CannotBuildHere(f"Debian {wanted.suite} has no package {wanted.name}")
        binary = listed[wanted.name]
        path = self._download(binary, self._main)
        if not debug:
            return PackageFile(wanted, binary.version, path)
        symbols, why_not = self._debug(binary, wanted.suite)
        return PackageFile(wanted, binary.version, path, symbols, why_not)

    def _debug(self, binary: Binary, suite: str) -> tuple[Path | None, str]:
        """The package with the symbols of this very version, or why there is none."""
        name = f"{binary.package}-dbgsym"
        try:
            address = debug_address(self._main)
            listed = self._listed({name}, f"{suite}-debug", address)
            symbols = listed.get(name)
            if symbols is None:
                return None, f"the archive of debug symbols has no {name}"
            if symbols.version != binary.version:
                return None, f"{name} is of another version, {symbols.version}"
            return self._download(symbols, address), ""
        except CannotBuildHere as error:
            status = _STATUS.search(str(error))
            why = status["status"] if status else str(error)
            return None, f"no archive of debug symbols: {' '.join(why.split())}"

    @cached_property
    def _main(self) -> str:
        return archive.archive_address()

    def _listed(self, names: set[str], suite: str, address: str) -> dict[str, Binary]:
        record = self._folder / f"index-{suite}-{ARCHITECTURE}.json"
        known = self._recorded(record)
        missing = sorted(names - known.keys())
        if missing:
            self._progress(f"reading the package index of {suite}")
            try:
                listed = archive.listed_binaries(
                    archive.any_of(missing), suite, ARCHITECTURE, address
                )
            except CannotBuildHere as error:
                if not suite.endswith("-debug"):
                    raise
                # Not asked again for each package.
                known |= dict.fromkeys(missing, str(error))
                self._write(record, known)
                raise
            known |= dict.fromkeys(missing, "")
            known |= {b.package: asdict(b) for b in newest(listed)}
            self._write(record, known)
        answers = {name: known[name] for name in names}
        for answer in answers.values():
            if isinstance(answer, str) and answer:
                raise CannotBuildHere(answer)
        return {n: Binary(**a) for n, a in answers.items() if isinstance(a, dict)}

    def _recorded(self, record: Path) -> dict[str, dict[str, Any] | str]:
        try:
            if time.time() - record.stat().st_mtime > _FRESH:
                return {}
            known = json.loads(record.read_text())
        except (OSError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}

    def _write(self, record: Path, known: dict[str, dict[str, Any] | str]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        write_whole(record, json.dumps(known, indent=1))

    def _download(self, binary: Binary, address: str) -> Path:
        path = self._folder / f"{binary.sha256}.deb"
        if path.is_file():
            if sha256_of(path) == binary.sha256:
                return path
            path.unlink()
        self._folder.mkdir(parents=True, exist_ok=True)
        self._progress(f"downloading {binary.package} {binary.version}")
        beside = path.with_suffix(".part")
        reason = archive.download(binary.path, binary.sha256, beside, address)
        if reason is not None:
            raise CannotBuildHere(f"{binary.package} {binary.version}: {reason}")
        beside.replace(path)
        return path


def newest(listed: Sequence[Binary]) -> list[Binary]:
    """One of each package: a suite may have several versions for a while."""
    best: dict[str, Binary] = {}
    for binary in listed:
        known = best.get(binary.package)
        if known is None or Version(known.version) < Version(binary.version):
            best[binary.package] = binary
    return list(best.values())
