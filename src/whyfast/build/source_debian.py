"""The upstream tarball of a Debian source package, from the pool of the machine's archive."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.toolchain.archive import Listed, download, listed_sources

#: How Debian compresses upstream tarballs, most usual first. (zstd is not used for them.)
SUFFIXES = ("xz", "gz", "bz2")

#: As :func:`whyfast.toolchain.archive.download` and :func:`…listed_sources` are called here.
Download = Callable[[str, str, Path], str | None]
Index = Callable[[str, str], Sequence[Listed]]


def pool_folder(package: str) -> str:
    """Where the archive keeps a source package: ``pool/main/p/python3.14``, ``…/libf/libffi``."""
    initial = package[:4] if package.startswith("lib") else package[:1]
    return f"pool/main/{initial}/{package}"


def fetch_tarball(
    package: str,
    version: str,
    sha256: str,
    suite: str,
    to: Path,
    *,
    download: Download = download,
    index: Index = listed_sources,
) -> None:
    """Write the tarball with exactly that sha256 to ``to``.

    An archive may serve a version that its index no longer lists, and list one that it no longer
    serves. So the pool is asked first; only when that fails is the index read, for an error that
    says what there is. UserError then, CannotBuildHere when there is no archive at all.
    """
    reasons = []
    for suffix in SUFFIXES:
        path = f"{pool_folder(package)}/{package}_{version}.orig.tar.{suffix}"
        reason = download(path, sha256, to)
        if reason is None:
            _check(to, sha256)
            return
        reasons.append(reason)
    real = [r for r in reasons if "does not serve" not in r]
    reason = real[0] if real else f"the archive does not serve {package} {version}"
    raise UserError(f"{reason}; {_what_there_is(package, suite, to, download, index)}")


def _check(file: Path, sha256: str) -> None:
    with file.open("rb") as f:
        found = hashlib.file_digest(f, "sha256").hexdigest()
    if found != sha256:
        file.unlink()
        raise UserError(f"the tarball has the sha256 {found}, where the study has {sha256}")


def _what_there_is(package: str, suite: str, to: Path, download: Download, index: Index) -> str:
    """The versions of the index, and whether each is really served."""
    try:
        listed = index(package, suite)
    except CannotBuildHere as error:
        return f"what else there is cannot be told: {error}"
    if not listed:
        return f"{suite} lists no source package {package}"
    probe = to.with_name(f"{to.name}.probe")
    said = []
    for one in listed:
        served = download(one.path, one.sha256, probe) is None
        probe.unlink(missing_ok=True)
        said.append(
            f'version = "{one.version}" with sha256 = "{one.sha256}"'
            if served
            else f"{one.version}, which it does not serve either"
        )
    return f"{suite} lists " + "; ".join(said)
