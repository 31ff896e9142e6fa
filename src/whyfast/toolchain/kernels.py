"""Kernels from Debian's packages, extracted and not installed.

<home>/kernels/<name>/vmlinuz        the image
<home>/kernels/<name>/kernel.json    its package, version and hashes; written last
"""

from __future__ import annotations

import json
import lzma
import re
import shutil
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from debian.debian_support import Version

from whyfast.model.build import Kernel
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.files import lacking, make_once, replacing, sha256_of
from whyfast.store.home import Home
from whyfast.toolchain import Progress
from whyfast.toolchain.archive import Binary, download, listed_binaries

#: The suite of each long-term version; others are looked for in :data:`NEWER`, in this order.
SUITES = {"5.10": "bullseye", "6.1": "bookworm", "6.12": "trixie"}
NEWER = ("trixie-backports", "sid")

#: The architecture of the packages, which is also that of the virtual machine.
ARCHITECTURE = "amd64"

#: Packages that may hold a kernel, as a regular expression; for a search in the archive's index.
PACKAGES = r"^linux-(image|binary)-[0-9].*-amd64(-unsigned)?$"

_NAME = re.compile(
    r"linux(-(?P<version>\d+(\.\d+)+))?(-(?P<flavour>cloud|rt))?(@(?P<suite>[a-z][a-z0-9.-]*))?"
)
_PACKAGE = re.compile(
    r"linux-(?P<kind>image|binary)-(?P<release>\d.*?-(?:(?P<flavour>cloud|rt)-)?amd64)"
    r"(?P<unsigned>-unsigned)?"
)
_FORM = "expected debian:linux-VERSION, e.g. debian:linux-6.12, debian:linux-7.0@trixie-backports"


@dataclass(frozen=True)
class KernelName:
    """A kernel that is wanted. ``version`` empty means the newest; ``suites`` are where to look,
    the first that has it."""

    full: str
    version: str
    flavour: str
    suites: tuple[str, ...]


@dataclass(frozen=True)
class Candidate:
    """A package that should hold a kernel, and the kernel's release."""

    package: Binary
    release: str
    suite: str

    @property
    def version(self) -> str:
        """The upstream version: ``6.1.176``."""
        return re.split(r"[-~+]", self.package.version)[0]


def parse_kernel(full: str) -> KernelName:
    """UserError for a name of another form, or of another provider."""
    provider, _, name = full.partition(":")
    if provider != "debian":
        raise UserError(f"unknown provider of kernel {full!r}; available: debian; {_FORM}")
    match = _NAME.fullmatch(name)
    if not match:
        raise UserError(f"kernel {full!r}: {_FORM}")
    version, suite = match["version"] or "", match["suite"]
    if not version and not suite:
        raise UserError(f"kernel {full!r} has neither a version nor a suite; {_FORM}")
    long_term = SUITES.get(".".join(version.split(".")[:2]))
    suites = (suite,) if suite else (long_term,) if long_term else NEWER
    return KernelName(full, version, match["flavour"] or "", suites)


def candidates(wanted: KernelName, suite: str, listed: Sequence[Binary]) -> list[Candidate]:
    """The packages that fit, newest first; of several with one release the likelier one first. From
    Linux 7.0 on Debian keeps the image in ``linux-binary``, and ``linux-image`` only depends on
    it."""
    ranked = []
    for package in listed:
        name = _PACKAGE.fullmatch(package.package)
        if not name or (name["flavour"] or "") != wanted.flavour:
            continue
        candidate = Candidate(package, name["release"], suite)
        # 6.12.107 is a 6.12, and 6.1 is not.
        if not wanted.version or f"{candidate.version}.".startswith(f"{wanted.version}."):
            rank = (name["kind"] == "binary", name["unsigned"] is None)
            ranked.append((Version(package.version), rank, candidate))
    return [entry[-1] for entry in sorted(ranked, key=lambda entry: entry[:2], reverse=True)]


def available(wanted: KernelName, suite: str, listed: Sequence[Binary]) -> list[str]:
    """The upstream versions of that flavour in the suite, oldest first."""
    anything = KernelName(wanted.full, "", wanted.flavour, (suite,))
    versions = {c.version for c in candidates(anything, suite, listed)}
    return sorted(versions, key=Version)


#: How many versions that the index lists and the archive does not serve are passed over.
TRIES = 4


def kernel_folder(home: Home, name: str) -> Path:
    """Where the kernel of that name is or will be."""
    return home.cache / "kernels" / re.sub(r"[^A-Za-z0-9.@-]", "-", name)


def installed(name: str, home: Home) -> bool:
    """Whether :func:`get_kernel` would need no download."""
    return (kernel_folder(home, parse_kernel(name).full) / "kernel.json").exists()


def get_kernel(name: str, home: Home, progress: Progress) -> Kernel:
    """The kernel of that name, downloaded when it is new: the newest that the archive serves now.
    What is there stays, so that a study can be repeated. UserError for a malformed name;
    CannotBuildHere, with what there is, for one that does not exist."""
    wanted = parse_kernel(name)
    folder = kernel_folder(home, name)
    make_once(
        folder,
        (folder / "kernel.json").exists,
        lambda: _fetch(wanted, folder, progress),
        lambda: progress(f"waiting for another whyfast that downloads {name}"),
    )
    recorded = json.loads((folder / "kernel.json").read_text())
    return Kernel(image=folder / "vmlinuz", **recorded)


def _fetch(wanted: KernelName, folder: Path, progress: Progress) -> None:
    chosen = _choose(wanted)
    need = 2 * chosen[0].package.size
    if short := lacking(folder.parent, need):
        raise CannotBuildHere(f"not enough disk space for the kernel {wanted.full}: {short}")
    with replacing(folder) as work:
        package = work / "package.deb"
        candidate = _download_one(wanted, chosen[:TRIES], package, progress)
        image = work / "made" / "vmlinuz"
        try:
            image.parent.mkdir()
            extract_image(package, image)
            record = {
                "name": wanted.full,
                "release": candidate.release,
                "package": candidate.package.package,
                "version": candidate.package.version,
                "suite": candidate.suite,
                "package_sha256": candidate.package.sha256,
                "sha256": sha256_of(image),
            }
            image.with_name("kernel.json").write_text(json.dumps(record, indent=1) + "\n")
        except OSError as error:
            raise CannotBuildHere(f"{wanted.full} cannot be stored: {error}") from error


def _download_one(
    wanted: KernelName, chosen: Sequence[Candidate], to: Path, progress: Progress
) -> Candidate:
    """The first package that the archive really serves."""
    reasons = []
    for candidate in chosen:
        size = candidate.package.size // 1_000_000
        progress(f"downloading {candidate.package.package} {candidate.package.version} ({size} MB)")
        reason = download(candidate.package.path, candidate.package.sha256, to)
        if reason is None:
            return candidate
        reasons.append(f"{candidate.package.package}: {reason}")
    raise CannotBuildHere(f"{wanted.full} is not available: {reasons[0]}")


def _choose(wanted: KernelName) -> list[Candidate]:
    """The packages that fit in the first suite that has any. CannotBuildHere, with what the suites
    have, for none."""
    seen = []
    for suite in wanted.suites:
        listed = listed_binaries(PACKAGES, suite, ARCHITECTURE)
        if matches := candidates(wanted, suite, listed):
            return matches
        there = ", ".join(available(wanted, suite, listed)) or "none"
        seen.append(f"{suite} has {there}")
    raise CannotBuildHere(f"the archive has no {wanted.full}; {'; '.join(seen)}")


def extract_image(package: Path, to: Path) -> None:
    """Write the kernel in a package's file to ``to``: ``/boot/vmlinuz-…`` or
    ``/usr/lib/modules/…/vmlinuz``. CannotBuildHere when it has none."""
    from debian.arfile import ArError  # takes 0.07 s, with the next
    from debian.debfile import DebError, DebFile

    try:
        archive = DebFile(package).data.tgz()
        for member in archive:
            if member.isfile() and re.fullmatch(r"vmlinuz(-.+)?", Path(member.name).name):
                stream = archive.extractfile(member)
                assert stream is not None
                with to.open("wb") as out:
                    shutil.copyfileobj(stream, out)
                return
    except (ArError, DebError, tarfile.TarError, lzma.LZMAError, EOFError) as error:
        raise CannotBuildHere(f"{package.name} cannot be unpacked: {error}") from error
    raise CannotBuildHere("the package contains no kernel; another package of the archive may")
