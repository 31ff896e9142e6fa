"""Getting the source of a study: fetched once, unpacked once, shared by all variants, in a folder
named after what pins it (a sha256 or a commit), complete or absent."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import os
import shutil
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, cast

from whyfast.build.revisions import clone, commit_of, export, is_local, submodules
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.study import Source, Study
from whyfast.store.files import exclusive, lacking, make_once, replacing, sha256_of
from whyfast.store.home import Home
from whyfast.toolchain import Progress
from whyfast.toolchain.archive import download, listed_sources

# Unpacking an archive that may be hostile: a tarball of sources, a build from another host. The
# filters of Python (``tarfile.data_filter``) are missing from 3.11.2, and other versions have had
# holes in them, so the checks are made here, in the same way everywhere: names and links that lead
# out of the folder and files of a special kind are refused before anything is written, and once
# more all links at the end, when every one of them is there.

#: What damaged archives raise; a bad block of bzip2 is an OSError without a number.
DAMAGE = (
    *(tarfile.TarError, EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile),
    *(ValueError, OverflowError),  # numbers in headers
)
#: Bytes that one header may have. A path has 4096 at most, and extended attributes 65,536.
_HEADER = 1 << 20
#: Folders within each other: more of them exhaust the stack of Python before 3.13 when deleted.
_DEEPEST = 200


def unpack(archive: Path, to: Path) -> Path:
    """Unpack a tar archive (plain, gzip, bzip2 or xz) into the new folder ``to``; files keep their
    dates. Returns the folder with the files: the archive's only folder where everything is in one,
    else ``to`` itself. UserError for what is no archive or tries to leave the folder."""
    to.mkdir(parents=True)
    links: list[Path] = []
    try:
        with archive.open("rb") as file, open_tar(file) as tar:
            for member in tar:
                # Python before 3.11.14 reads the same header for ever after a negative size.
                if member.size < 0:
                    raise _refused(archive, member.name, f"a file of {member.size} bytes")
                if short := lacking(to, member.size + 1_000_000):
                    raise UserError(f"not enough disk space to unpack it: {short}", where=archive)
                _extract(tar, member, archive, to)
                if member.issym():
                    links.append(to / member.name)
    except DAMAGE as error:
        raise UserError(f"cannot be unpacked: {error}", where=archive) from error
    except OSError as error:
        if error.errno is not None:  # of this disk
            raise
        raise UserError(f"cannot be unpacked: {error}", where=archive) from error
    for link in links:
        if not _inside(link, to):
            raise _refused(archive, str(link.relative_to(to)), "a link that leads outside")
    entries = list(to.iterdir())
    if len(entries) == 1 and entries[0].is_dir() and not entries[0].is_symlink():
        return entries[0]
    return to


def open_tar(file: IO[bytes]) -> tarfile.TarFile:
    """An archive to read, plain or compressed, whose headers are of bounded size."""
    first = file.read(8)
    file.seek(0)
    inner: object = file
    if first.startswith((b"\xfd7zX", b"]\0\0\x80")):
        inner = lzma.LZMAFile(file)  # noqa: SIM115 (the archive has it)
    elif first.startswith(b"\x1f\x8b"):
        inner = gzip.GzipFile(fileobj=file)
    elif first.startswith(b"BZh"):
        inner = bz2.BZ2File(file)
    return tarfile.open(fileobj=cast("IO[bytes]", _Bounded(cast("IO[bytes]", inner))), mode="r:")


class _Bounded:
    """A decompressed archive, for tarfile: that asks for as many bytes at once as a header in it
    says that the header has, and these need not be compressed to many."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int) -> bytes:
        if not 0 <= size <= _HEADER:
            raise tarfile.ReadError(f"a header of it has {size:,} bytes")
        return self._file.read(size)


def _extract(tar: tarfile.TarFile, member: tarfile.TarInfo, archive: Path, to: Path) -> None:
    name = Path(member.name)
    if name.is_absolute() or ".." in name.parts:
        raise _refused(archive, member.name, "a name that leads outside")
    if len(name.parts) > _DEEPEST:
        raise _refused(archive, member.name[:80], f"a name of over {_DEEPEST} folders")
    target = to / name
    # Through a link that was unpacked before, a harmless name may lead elsewhere.
    if not _inside(target.parent, to) or (target.is_symlink() and not member.issym()):
        raise _refused(archive, member.name, "a name that leads through a link")
    if member.isdir():
        target.mkdir(parents=True, exist_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_symlink() or target.is_file():
        target.unlink()
    if member.isreg():
        content = tar.extractfile(member)
        assert content is not None
        with content, target.open("xb") as out:
            shutil.copyfileobj(content, out)
        target.chmod(0o755 if member.mode & 0o100 else 0o644)
        # Python would compile again every module whose date is not the one it has noted.
        os.utime(target, (member.mtime, member.mtime))
    elif member.issym():
        if os.path.isabs(member.linkname) or not _inside(target.parent / member.linkname, to):
            raise _refused(archive, member.name, "a link that leads outside")
        target.symlink_to(member.linkname)
    elif member.islnk():
        other = to / member.linkname
        if os.path.isabs(member.linkname) or ".." in other.parts or not _inside(other, to):
            raise _refused(archive, member.name, "a link that leads outside")
        if not other.is_file() or other.is_symlink():
            raise _refused(archive, member.name, "a hard link to what is not a file in it")
        shutil.copy2(other, target)
    else:
        raise _refused(archive, member.name, "neither a file nor a folder nor a link")


def _inside(path: Path, folder: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _refused(archive: Path, name: str, what: str) -> UserError:
    return UserError(f"refused to unpack it, for {name!r} in it is {what}", where=archive)


#: How Debian compresses upstream tarballs, most usual first. (zstd is not used for them.)
SUFFIXES = ("xz", "gz", "bz2")


def pool_folder(package: str) -> str:
    """Where the archive keeps a source package: ``pool/main/p/python3.14``, ``…/libf/libffi``."""
    initial = package[:4] if package.startswith("lib") else package[:1]
    return f"pool/main/{initial}/{package}"


def fetch_tarball(package: str, version: str, sha256: str, suite: str, to: Path) -> None:
    """Write the tarball with exactly that sha256 to ``to``. The pool is asked first, as it may have
    a version that the index no longer lists; the index is read for an error that says what there
    is. UserError then, CannotBuildHere without an archive."""
    reasons = []
    for suffix in SUFFIXES:
        path = f"{pool_folder(package)}/{package}_{version}.orig.tar.{suffix}"
        if reason := download(path, sha256, to):
            reasons.append(reason)
        elif (actual := sha256_of(to)) == sha256:
            return
        else:
            to.unlink()
            raise UserError(f"the tarball has the sha256 {actual}, where the study has {sha256}")
    real = [r for r in reasons if "does not serve" not in r]
    reason = real[0] if real else f"the archive does not serve {package} {version}"
    raise UserError(f"{reason}; {_what_there_is(package, suite, to)}")


def _what_there_is(package: str, suite: str, to: Path) -> str:
    """The versions of the index, and whether each is really served."""
    try:
        listed = listed_sources(package, suite)
    except CannotBuildHere as error:
        return f"available versions unknown: {error}"
    if not listed:
        return f"{suite} lists no source package {package}"
    probe = to.with_name(f"{to.name}.probe")
    versions = []
    for entry in listed:
        served = download(entry.path, entry.sha256, probe) is None
        probe.unlink(missing_ok=True)
        versions.append(
            f'version = "{entry.version}" with sha256 = "{entry.sha256}"'
            if served
            else f"{entry.version}, which it does not serve either"
        )
    return f"{suite} lists " + "; ".join(versions)


#: Kinds whose folder is there from the beginning.
LOCAL = ("subject", "path")


def with_source(study: Study, home: Home, progress: Progress) -> Study:
    """The study with the folder of its source filled in, fetched if need be. UserError when it is
    not available: without a source there is nothing to do."""
    with about_source(study):
        return replace(study, source=obtain(study.source, home, progress))


@contextmanager
def about_source(study: Study) -> Iterator[None]:
    """What goes wrong within is a UserError about the source of the study."""
    try:
        yield
    except (UserError, CannotBuildHere, OSError) as error:
        where = study.folder / "study.toml"
        raise UserError(f"the source is not available: {error}", where=where) from error


def present(source: Source, home: Home) -> Source | None:
    """The source with its folder, when nothing has to be fetched or unpacked for it."""
    if source.kind in LOCAL:
        return source
    try:
        folder = _place(source, _pin(source, home), home)
    except UserError:
        if is_local(source.name):
            raise
        return None  # the copy of the repository lacks it
    return _with_folder(source, folder, home) if folder.is_dir() else None


def obtain(source: Source, home: Home, progress: Progress) -> Source:
    """The source with its folder. UserError, CannotBuildHere or OSError when not available."""
    fetched = source.kind not in LOCAL and source.folder.is_relative_to(home.sources)
    if source.repository or (fetched and source.kind != "git"):
        return source  # obtained before
    if source.kind == "git" and not is_local(source.name):
        with exclusive(home.sources / "git.lock"):
            address = source.address or source.name
            clone(address, source.revision, _repository(source, home), progress)
    if source.kind in LOCAL:
        return source
    pin = _pin(source, home)
    folder = _place(source, pin, home)

    def take() -> None:
        with replacing(folder) as work:
            if source.kind == "git":
                progress(f"taking {source.name} at {pin[:12]}")
                export(_repository(source, home), pin, work / "made")
            else:
                _unpack_tarball(source, work, progress)

    make_once(folder, folder.is_dir, take, lambda: progress("waiting for source"))
    return _with_folder(source, folder, home)


def _pin(source: Source, home: Home) -> str:
    """The commit or sha256 that names the files; UserError when the repository has no such."""
    if source.kind != "git":
        return source.sha256
    return commit_of(_repository(source, home), source.revision)


def _place(source: Source, pin: str, home: Home) -> Path:
    """Where its files are kept: others once a submodule has been checked out."""
    inner = submodules(_repository(source, home), pin) if source.kind == "git" else {}
    digest = hashlib.sha256("\n".join(inner).encode()).hexdigest()[:8] if inner else ""
    return home.sources / f"{pin[:40]}{digest and '-'}{digest}"


def _repository(source: Source, home: Home) -> Path:
    """The repository of a source from git, for a remote one where its copy is or will be."""
    if is_local(source.name):
        return source.folder
    return home.sources / f"git-{hashlib.sha256(source.name.encode()).hexdigest()[:16]}"


def _with_folder(source: Source, tree: Path, home: Home) -> Source:
    """The source whose files lie in ``tree``."""
    folder = tree / source.inner
    if not folder.is_dir():
        at = f" at {source.revision}" if source.revision else ""
        raise UserError(f"has no folder {source.inner}{at}", where=source.name)
    repository = _repository(source, home) if source.kind == "git" else None
    return replace(source, folder=folder, repository=repository)


def at_revision(source: Source, revision: str, home: Home, progress: Progress) -> Source:
    """Another commit of the same git repository, of a source that was obtained before. UserError
    when it has no such commit."""
    if revision in ("", source.revision) or source.repository is None:
        return source
    before = replace(source, revision=revision, folder=source.repository, repository=None)
    return obtain(before, home, progress)


def _unpack_tarball(source: Source, work: Path, progress: Progress) -> None:
    """Make ``work/made`` of the tarball."""
    archive = work / "archive"
    if source.kind == "debian":
        progress(f"downloading the source of {source.name} {source.version}")
        fetch_tarball(source.name, source.version, source.sha256, source.suite, archive)
    else:
        archive = source.folder
        if (actual := sha256_of(archive)) != source.sha256:
            raise UserError(f"has the sha256 {actual}, not {source.sha256}", where=archive)
    progress(f"unpacking {source.name}")
    unpack(archive, work / "unpacked").rename(work / "made")
