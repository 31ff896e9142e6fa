"""Making a Debian root again that a build was made in: the same packages, version for version."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.toolchain.archive import Binary, listed_binaries
from whyfast.toolchain.debian_root import Package, RootSpec, digest_of

_RECORD = re.compile(r"(?P<version>\S+) sha256:(?P<sha256>[0-9a-f]{64})")
_FOLDER = re.compile(r"debian-[a-z0-9.-]+-(clang|gcc)-\d+-[0-9a-f]{8}")
_NAMED = 5  # missing packages that an error names


@dataclass(frozen=True)
class RecordedRoot:
    """A root as provenance has it: the toolchain's full ``name``, the ``folder`` it was in (the
    name alone), its ``packages``, and the ``architecture`` as Debian calls it."""

    name: str
    folder: str
    packages: Mapping[str, Package]
    architecture: str

    @property
    def digest(self) -> str:
        """That of the root."""
        return digest_of(self.packages)


def recorded_root(provenance: Mapping[str, Any], where: str) -> RecordedRoot:
    """The root that a build was made in. UserError when it was made in none."""
    toolchain = provenance.get("toolchain", {})
    if not isinstance(toolchain, Mapping):
        toolchain = {}
    name, recorded = str(toolchain.get("name", "")), toolchain.get("packages")
    folder = Path(str(toolchain.get("root", ""))).parent.name
    if not name.startswith("debian:") or not isinstance(recorded, Mapping) or not recorded:
        raise UserError(
            f"was not built in a Debian root but by {name or 'no toolchain'}", where=where
        )
    if not _FOLDER.fullmatch(folder):
        raise UserError(f"has no root of a Debian toolchain: {folder!r}", where=where)
    packages = {}
    for package, text in recorded.items():
        found = _RECORD.fullmatch(str(text))
        if not found:
            raise UserError(f"package {package} is recorded without a sha256", where=where)
        packages[str(package)] = Package(found["version"], found["sha256"])
    target = str(toolchain.get("target", ""))
    architecture = "arm64" if target.startswith("aarch64") else "amd64"
    return RecordedRoot(name, folder, packages, architecture)


def check_archive(wanted: RecordedRoot, suite: str) -> None:
    """CannotBuildHere with the names of packages that the archive has no longer.

    Downloads the suite's index, about 10 MB, and no package.
    """
    listed: dict[str, list[Binary]] = {}
    names = "|".join(re.sub(r"[+.]", r"[\g<0>]", name) for name in sorted(wanted.packages))
    for one in listed_binaries(f"^({names})$", suite, wanted.architecture):
        listed.setdefault(one.package, []).append(one)
    gone = [
        (name, package, listed.get(name, []))
        for name, package in wanted.packages.items()
        if all(
            (b.version, b.sha256) != (package.version, package.sha256) for b in listed.get(name, [])
        )
    ]
    if gone:
        raise CannotBuildHere(_gone(gone, len(wanted.packages), suite))


def _gone(gone: list[tuple[str, Package, list[Binary]]], total: int, suite: str) -> str:
    names = [
        f"{name} {package.version} ("
        + (f"it has {', '.join(b.version for b in others)}" if others else "gone altogether")
        + ")"
        for name, package, others in gone[:_NAMED]
    ]
    more = f" and {len(gone) - _NAMED} more" if len(gone) > _NAMED else ""
    return (
        f"the archive's {suite} no longer has {len(gone)} of the {total} packages of that root: "
        f"{', '.join(names)}{more}"
    )


def pinned(spec: RootSpec, wanted: RecordedRoot) -> RootSpec:
    """The spec of a root with these versions and no others."""
    preferences = "\n".join(
        f"Package: {name}\nPin: version {package.version}\nPin-Priority: 1001\n"
        for name, package in sorted(wanted.packages.items())
    )
    return RootSpec(
        spec.suite,
        tuple(sorted(wanted.packages)),
        spec.archive,
        spec.apt_options,
        spec.need,
        preferences,
        wanted.digest,
    )
