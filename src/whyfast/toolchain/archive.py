"""The Debian archive of this machine, through apt's own programs, so that its proxies, mirrors and
credentials hold: address, downloads, sources, binary packages. Nothing here names a server."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from debian.debian_support import Version

from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.files import sha256_of, write_whole
from whyfast.store.home import Home
from whyfast.toolchain import Progress, run

if TYPE_CHECKING:
    from debian.deb822 import Sources


#: Names the archive where apt does not: on a system that is not Debian, say.
VARIABLE = "WHYFAST_DEBIAN_ARCHIVE"

#: Names the archive of debug symbols where it is not beside the main one.
DEBUG_VARIABLE = "WHYFAST_DEBIAN_DEBUG_ARCHIVE"

#: Suites whose release files expire (``Valid-Until``), which a frozen mirror's have; so do those of
#: the additions to any release.
MOVING = ("sid", "unstable", "forky", "testing", "experimental")
ADDITIONS = ("-backports", "-updates", "-proposed-updates", "-security")

#: Seconds that a question to apt may take; downloads have no limit but the user's patience.
TIMEOUT = 120.0


@dataclass(frozen=True)
class Listed:
    """An upstream tarball in the archive's index: its version, path below the archive, sha256."""

    version: str
    path: str
    sha256: str


def archive_address() -> str:
    """The address of Debian's main archive, without a slash at the end. CannotBuildHere when apt
    names none."""
    if address := os.environ.get(VARIABLE, "").rstrip("/"):
        return address
    try:
        address = _from_lists() or _from_configuration()
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotBuildHere(
            f"apt cannot be run to find a Debian archive ({error}); set {VARIABLE} to its address"
        ) from error
    if not address:
        raise CannotBuildHere(
            f"this machine's apt names no Debian archive; set {VARIABLE} to the address of one"
        )
    return address


def debug_address(main: str) -> str:
    """The address of the archive of debug symbols that belongs to a main archive: Debian keeps
    them beside it, as ``debian-debug``. CannotBuildHere where that cannot be told."""
    address = os.environ.get(DEBUG_VARIABLE, "").rstrip("/")
    if address or main.endswith("/debian"):
        return address or f"{main}-debug"
    raise CannotBuildHere(f"set {DEBUG_VARIABLE} to its address")


def _from_lists() -> str:
    """By the signed names in what apt has downloaded; empty where it has none."""
    done = run(
        ["apt-get", "indextargets", "--format", "$(LABEL)|$(REPO_URI)", "Created-By: Packages"],
        timeout=TIMEOUT,
    )
    for line in done.stdout.splitlines():
        label, _, address = line.partition("|")
        if label == "Debian" and address:
            return address.rstrip("/")
    return ""


def _from_configuration() -> str:
    """By what apt would download, where it has nothing yet (as in container images)."""
    with tempfile.TemporaryDirectory(prefix="whyfast-apt-") as empty:
        Path(empty, "partial").mkdir()
        done = run(
            [
                *("apt-get", "update", "--print-uris"),
                *("-o", f"Dir::State::lists={empty}", "-o", "Debug::NoLocking=1"),
            ],
            timeout=TIMEOUT,
        )
    addresses = re.findall(r"^'(\S+/debian)/+dists/[^/']+/InRelease'", done.stdout, re.MULTILINE)
    return str(addresses[0]) if addresses else ""


def expires(suite: str) -> bool:
    """Whether apt refuses an old release file of the suite."""
    suite = suite.removesuffix("-debug")
    return suite in MOVING or suite.endswith(ADDITIONS)


def proxy_options() -> list[str]:
    """The machine's proxies as lines of an apt.conf, for an apt that does not read its own."""
    try:
        done = run(["apt-config", "dump"], timeout=TIMEOUT)
    except (OSError, subprocess.TimeoutExpired):
        return []
    wanted = re.compile(r'^Acquire::https?::(\S+::)?Proxy(-Auto-Detect)? "[^"]+";$')
    return [line for line in done.stdout.splitlines() if wanted.match(line)]


def download(path: str, sha256: str, to: Path, archive: str = "") -> str | None:
    """Fetch a file of the archive to ``to``; None, or the reason in one line. ``archive`` is the
    address of another than :func:`archive_address`. CannotBuildHere when there is no archive or no
    apt. A file with another sha256 is refused."""
    address = f"{archive or archive_address()}/{path}"
    done = run([_helper(), "download-file", address, str(to), f"SHA256:{sha256}"])
    if done.returncode == 0 and to.is_file():
        return None
    to.unlink(missing_ok=True)
    message = " ".join(done.stderr.split())
    # First: the hashes that it prints then may have a 404 in them, as an address may.
    if re.search(r"[Hh]ash.?[Ss]um mismatch", message):
        return "its sha256 differs from that in the study"
    if re.search(r"(?:^| )404(?: |$)", message):
        return "the archive does not serve it"
    errors = re.findall(r"E: (.+?)(?= [EW]: |$)", message)
    return errors[0] if errors else f"apt-helper ended with exit code {done.returncode}"


def _helper() -> str:
    """apt's program for single downloads, which stands beside its methods."""
    try:
        done = run(["apt-config", "shell", "found", "Dir::Bin::methods/d"], timeout=TIMEOUT)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotBuildHere(f"apt, which downloads it, cannot be run: {error}") from error
    words = shlex.split(done.stdout.strip())
    methods = words[0].partition("=")[2] if words else ""
    helper = Path(methods or "/usr/lib/apt/methods/").parent / "apt-helper"
    if not helper.is_file():
        raise CannotBuildHere(f"apt's program for downloads is missing: {helper}")
    return str(helper)


def listed_sources(package: str, suite: str) -> list[Listed]:
    """The upstream tarballs of a source package that a suite's signed index names. CannotBuildHere
    when the index is not available. Downloads about 12 MB."""
    with _private_apt(f"deb-src {archive_address()} {suite} main", suite) as options:
        question = ["showsrc", "--only-source", package]
        return parse_sources(_ask(f"the source index of {suite}", options, question))


def parse_sources(text: str) -> list[Listed]:
    """The upstream tarballs in records of a ``Sources`` index."""
    return [
        Listed(tarball[1], f"{record['Directory']}/{file['name']}", file["sha256"])
        for record in records(text)
        for file in record.get("Checksums-Sha256", ())
        if (tarball := re.fullmatch(r"[^_]+_(.+)\.orig\.tar\.\w+", file["name"]))
    ]


def records(text: str) -> Iterator[Sources]:
    """The records of an index, of sources or of packages. A millisecond for about three of them: a
    whole ``Packages`` file takes 15 seconds."""
    from debian.deb822 import Sources  # takes 0.07 s

    return Sources.iter_paragraphs(io.StringIO(text), use_apt_pkg=False)


@dataclass(frozen=True)
class Binary:
    """A binary package in the archive's index: its path below the archive, sha256 and bytes."""

    package: str
    version: str
    path: str
    sha256: str
    size: int


def any_of(names: Iterable[str]) -> str:
    """A regular expression for exactly these names of packages."""
    pattern = "|".join(re.sub(r"[+.]", r"[\g<0>]", name) for name in names)
    return f"^({pattern})$"


def listed_binaries(pattern: str, suite: str, architecture: str, archive: str = "") -> list[Binary]:
    """The packages of a suite whose names match a regular expression, by its signed index.
    CannotBuildHere when the index is not available. Downloads up to 13 MB."""
    line = f"deb [arch={architecture}] {archive or archive_address()} {suite} main"
    with _private_apt(line, suite) as options:
        options += ["-o", f"APT::Architecture={architecture}", "-o", "Acquire::Languages=none"]
        question = ["search", "--names-only", "--full", pattern]
        return parse_binaries(_ask(f"the package index of {suite}", options, question))


def parse_binaries(text: str) -> list[Binary]:
    """The packages in records of a ``Packages`` index."""
    return [
        Binary(r["Package"], r["Version"], r["Filename"], r["SHA256"], int(r["Size"]))
        for r in records(text)
        if all(name in r for name in ("Package", "Version", "Filename", "SHA256", "Size"))
    ]


@contextlib.contextmanager
def _private_apt(line: str, suite: str) -> Iterator[list[str]]:
    """Options that make apt use folders of its own with only one line of sources, of ``suite``."""
    with tempfile.TemporaryDirectory(prefix="whyfast-apt-") as folder:
        place = Path(folder)
        for name in ("lists/partial", "cache/archives/partial"):
            (place / name).mkdir(parents=True)
        place.chmod(0o755)  # apt downloads as a user of its own
        (place / "status").touch()
        # No key is named: the archive's is among those that apt trusts.
        (place / "sources.list").write_text(f"{line}\n")
        settings = {
            "Dir::State": folder,
            "Dir::State::status": str(place / "status"),
            "Dir::Cache": str(place / "cache"),
            "Dir::Etc::sourcelist": str(place / "sources.list"),
            "Dir::Etc::sourceparts": "/dev/null",
            "Dir::Etc::preferences": "/dev/null",
            "Dir::Etc::preferencesparts": "/dev/null",
        }
        if expires(suite):
            settings["Acquire::Check-Valid-Until"] = "false"
        yield [word for k, v in settings.items() for word in ("-o", f"{k}={v}")]


def _ask(what: str, options: Sequence[str], question: Sequence[str]) -> str:
    """What apt-cache answers of an index that is downloaded first."""
    try:
        done = run(["apt-get", "-q", *options, "update"])
        if done.returncode == 0:
            done = run(["apt-cache", *options, *question])
    except OSError as error:
        raise CannotBuildHere(f"apt, which reads {what}, cannot be run: {error}") from error
    if done.returncode != 0:
        errors = [line[3:] for line in done.stderr.splitlines() if line.startswith("E: ")]
        reason = errors[0].rstrip(".") if errors else f"exit code {done.returncode}"
        raise CannotBuildHere(f"{what} is not available: {reason}")
    return done.stdout


# Binary packages as files.

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
        return archive_address()

    def _listed(self, names: set[str], suite: str, address: str) -> dict[str, Binary]:
        record = self._folder / f"index-{suite}-{ARCHITECTURE}.json"
        known = self._recorded(record)
        missing = sorted(names - known.keys())
        if missing:
            self._progress(f"reading the package index of {suite}")
            try:
                listed = listed_binaries(any_of(missing), suite, ARCHITECTURE, address)
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
        reason = download(binary.path, binary.sha256, beside, address)
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
