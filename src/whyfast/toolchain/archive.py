"""The Debian archive of this machine, through apt's own programs, so that its proxies, mirrors and
credentials hold: address, downloads, sources. Nothing here names a server."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from whyfast.model.errors import CannotBuildHere
from whyfast.toolchain.provider import run

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
