"""Kernels from Debian's packages, extracted and not installed.

<home>/kernels/<name>/vmlinuz        the image
<home>/kernels/<name>/kernel.json    its package, version and hashes; written last
"""

from __future__ import annotations

import hashlib
import json
import lzma
import re
import shutil
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path

from whyfast.model.boot import Kernel
from whyfast.model.errors import CannotBuildHere
from whyfast.store.complete import make_once, replacing
from whyfast.store.disk import lacking
from whyfast.store.home import Home
from whyfast.toolchain.archive import Binary, download, listed_binaries
from whyfast.toolchain.kernel_names import (
    ARCHITECTURE,
    PACKAGES,
    Candidate,
    KernelName,
    available,
    candidates,
    parse_kernel,
)

#: How many versions that the index lists and the archive does not serve are passed over.
TRIES = 4

#: As :func:`listed_binaries`, :func:`download` and :func:`extract_image` are called here.
Index = Callable[[str, str, str], Sequence[Binary]]
Download = Callable[[str, str, Path], str | None]
Extract = Callable[[Path, Path], None]
Progress = Callable[[str], None]


def kernel_folder(home: Home, name: str) -> Path:
    """Where the kernel of that name is or will be."""
    return home.cache / "kernels" / re.sub(r"[^A-Za-z0-9.@-]", "-", name)


def installed(name: str, home: Home) -> bool:
    """Whether :func:`get_kernel` would need no download."""
    return (kernel_folder(home, parse_kernel(name).full) / "kernel.json").exists()


def get_kernel(
    name: str,
    home: Home,
    progress: Progress,
    *,
    index: Index = listed_binaries,
    download: Download = download,
    extract: Extract | None = None,
) -> Kernel:
    """The kernel of that name, downloaded when it is new: the newest that the archive serves now.

    What is there stays as it is until its folder is deleted, so that a study can be repeated.
    UserError for a malformed name; CannotBuildHere when there is no such kernel: what there
    is instead.
    """
    wanted = parse_kernel(name)
    folder = kernel_folder(home, name)
    make_once(
        folder,
        (folder / "kernel.json").exists,
        lambda: _fetch(wanted, folder, progress, index, download, extract or extract_image),
        lambda: progress(f"waiting for another whyfast that downloads {name}"),
    )
    recorded = json.loads((folder / "kernel.json").read_text())
    return Kernel(image=folder / "vmlinuz", **recorded)


def _fetch(
    wanted: KernelName,
    folder: Path,
    progress: Progress,
    index: Index,
    download: Download,
    extract: Extract,
) -> None:
    chosen, seen = _choose(wanted, index)
    if not chosen:
        raise CannotBuildHere(f"the archive has no {wanted.full}; {seen}")
    need = 2 * chosen[0].package.size
    if short := lacking(folder.parent, need):
        raise CannotBuildHere(f"no room for the kernel {wanted.full}: {short}")
    with replacing(folder) as work:
        package = work / "package.deb"
        one = _download_one(wanted, chosen[:TRIES], package, progress, download)
        try:
            _extract(wanted, one, package, work / "made", extract)
        except OSError as error:
            raise CannotBuildHere(f"{wanted.full} cannot be kept: {error}") from error


def _download_one(
    wanted: KernelName,
    chosen: Sequence[Candidate],
    to: Path,
    progress: Progress,
    download: Download,
) -> Candidate:
    """The first package that the archive really serves."""
    reasons = []
    for one in chosen:
        size = one.package.size // 1_000_000
        progress(f"downloading {one.package.package} {one.package.version} ({size} MB)")
        reason = download(one.package.path, one.package.sha256, to)
        if reason is None:
            return one
        reasons.append(f"{one.package.package}: {reason}")
    raise CannotBuildHere(f"{wanted.full} cannot be had: {reasons[0]}")


def _choose(wanted: KernelName, index: Index) -> tuple[list[Candidate], str]:
    """The packages that fit in the first suite that has any; else what the suites have."""
    seen = []
    for suite in wanted.suites:
        listed = index(PACKAGES, suite, ARCHITECTURE)
        found = candidates(wanted, suite, listed)
        if found:
            return found, ""
        there = ", ".join(available(wanted, suite, listed)) or "none"
        seen.append(f"{suite} has {there}")
    return [], "; ".join(seen)


def _extract(
    wanted: KernelName, one: Candidate, package: Path, folder: Path, extract: Extract
) -> None:
    folder.mkdir()
    image = folder / "vmlinuz"
    extract(package, image)
    with image.open("rb") as f:
        sha256 = hashlib.file_digest(f, "sha256").hexdigest()
    record = {
        "name": wanted.full,
        "release": one.release,
        "package": one.package.package,
        "version": one.package.version,
        "suite": one.suite,
        "package_sha256": one.package.sha256,
        "sha256": sha256,
    }
    (folder / "kernel.json").write_text(json.dumps(record, indent=1) + "\n")


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
    raise CannotBuildHere("the package holds no kernel; the archive may keep it in another one")
