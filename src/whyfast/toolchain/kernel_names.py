"""Names of Debian's kernels: ``linux-6.12``, ``linux-6.1.176-cloud@bookworm``, ``linux@sid``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from debian.debian_support import Version

from whyfast.model.errors import UserError
from whyfast.toolchain.archive import Binary

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
_FORM = "write debian:linux-VERSION, e.g. debian:linux-6.12, debian:linux-7.0@trixie-backports"


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
        raise UserError(f"kernel {full!r}: kernels come from debian; {_FORM}")
    found = _NAME.fullmatch(name)
    if not found:
        raise UserError(f"kernel {full!r}: {_FORM}")
    version, suite = found["version"] or "", found["suite"]
    if not version and not suite:
        raise UserError(
            f"kernel {full!r}: say which version, or the newest of which suite; {_FORM}"
        )
    own = SUITES.get(".".join(version.split(".")[:2]))
    suites = (suite,) if suite else (own,) if own else NEWER
    return KernelName(full, version, found["flavour"] or "", suites)


def candidates(wanted: KernelName, suite: str, listed: Sequence[Binary]) -> list[Candidate]:
    """The packages that fit, newest first; of several with one release the likelier one first.

    From Linux 7.0 on Debian keeps the image in ``linux-binary``, and ``linux-image`` only depends
    on it.
    """
    found = []
    for package in listed:
        name = _PACKAGE.fullmatch(package.package)
        if not name or (name["flavour"] or "") != wanted.flavour:
            continue
        one = Candidate(package, name["release"], suite)
        if not wanted.version or _within(one.version, wanted.version):
            rank = (name["kind"] == "binary", name["unsigned"] is None)
            found.append((Version(package.version), rank, one))
    return [entry[-1] for entry in sorted(found, key=lambda entry: entry[:2], reverse=True)]


def available(wanted: KernelName, suite: str, listed: Sequence[Binary]) -> list[str]:
    """The upstream versions of that flavour in the suite, oldest first."""
    anything = KernelName(wanted.full, "", wanted.flavour, (suite,))
    versions = {c.version for c in candidates(anything, suite, listed)}
    return sorted(versions, key=Version)


def _within(version: str, wanted: str) -> bool:
    """Whether 6.12.107 is a 6.12; 6.1 is not."""
    return version == wanted or version.startswith(f"{wanted}.")
