"""Getting the source of a study: fetched once, unpacked once, shared by all variants.

The cache has one folder a source, named after what pins it (a sha256 or a commit); it is complete
or absent.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from whyfast.build.source_debian import fetch_tarball
from whyfast.build.source_git import clone, commit_of, export, is_local
from whyfast.build.unpack import unpack
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.study import Source, Study
from whyfast.store.complete import make_once, replacing
from whyfast.store.home import Home
from whyfast.store.lock import exclusive

Progress = Callable[[str], None]

#: Kinds whose folder is there from the beginning.
LOCAL = ("subject", "path")


def with_source(study: Study, home: Home, progress: Progress) -> Study:
    """The study with the folder of its source filled in, fetched if need be.

    UserError when it cannot be had: without a source there is nothing to do.
    """
    where = study.folder / "study.toml"
    try:
        return replace(study, source=obtain(study.source, home, progress))
    except UserError as error:
        place = f"{error.where}: " if error.where else ""
        raise UserError(f"the source cannot be had: {place}{error.message}", where=where) from error
    except (CannotBuildHere, OSError) as error:
        raise UserError(f"the source cannot be had: {error}", where=where) from error


def present(source: Source, home: Home) -> Source | None:
    """The source with its folder, when nothing has to be fetched or unpacked for it."""
    if source.kind in LOCAL:
        return source
    if source.kind == "git" and is_local(source.name):
        key = commit_of(source.folder, source.revision)
    elif source.kind == "git":
        repository = _mirror(source.name, home)
        if not repository.exists():
            return None
        try:
            key = commit_of(repository, source.revision)
        except UserError:
            return None
    else:
        key = source.sha256
    if not (home.sources / key[:40]).is_dir():
        return None
    return _had(source, home.sources / key[:40], home)


def obtain(source: Source, home: Home, progress: Progress) -> Source:
    """The source with its folder. UserError, CannotBuildHere or OSError when it cannot be had."""
    fetched = source.kind not in LOCAL and source.folder.is_relative_to(home.sources)
    if source.repository or (fetched and source.kind != "git"):
        return source  # obtained before
    if source.kind == "git" and not is_local(source.name):
        with exclusive(home.sources / "git.lock"):
            repository = _mirror(source.name, home)
            address = source.address or source.name
            clone(address, source.revision, repository, progress)
    found = present(source, home)
    if found:
        return found
    if source.kind == "git":
        repository = source.folder if is_local(source.name) else _mirror(source.name, home)
        key = commit_of(repository, source.revision)
    else:
        key = source.sha256
    folder = home.sources / key[:40]

    def take() -> None:
        with replacing(folder) as work:
            if source.kind == "git":
                progress(f"taking {source.name} at {key[:12]}")
                export(repository, key, work / "made")
            else:
                _unpack_tarball(source, work, progress)

    make_once(folder, folder.is_dir, take, lambda: progress("waiting for source"))
    return _had(source, folder, home)


def _had(source: Source, tree: Path, home: Home) -> Source:
    """The source whose files lie in ``tree``."""
    folder = tree / source.inner
    if not folder.is_dir():
        at = f" at {source.revision}" if source.revision else ""
        raise UserError(f"has no folder {source.inner}{at}", where=source.name)
    return replace(source, folder=folder, repository=_repository(source, home))


def at_revision(source: Source, revision: str, home: Home, progress: Progress) -> Source:
    """Another commit of the same git repository, of a source that was obtained before.

    UserError when it has no such commit.
    """
    if revision in ("", source.revision) or source.repository is None:
        return source
    before = replace(source, revision=revision, folder=source.repository, repository=None)
    return obtain(before, home, progress)


def _repository(source: Source, home: Home) -> Path | None:
    """Where a git source that is not obtained yet is taken from."""
    if source.kind != "git":
        return None
    return source.folder if is_local(source.name) else _mirror(source.name, home)


def _unpack_tarball(source: Source, work: Path, progress: Progress) -> None:
    """Make ``work/made`` of the tarball."""
    archive = work / "archive"
    if source.kind == "debian":
        progress(f"downloading the source of {source.name} {source.version}")
        fetch_tarball(source.name, source.version, source.sha256, source.suite, archive)
    else:
        archive = source.folder
        with archive.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != source.sha256:
            raise UserError(f"has the sha256 {found}, not {source.sha256}", where=archive)
    progress(f"unpacking {source.name}")
    unpack(archive, work / "unpacked").rename(work / "made")


def _mirror(address: str, home: Home) -> Path:
    """Where the copy of a remote repository is or will be."""
    return home.sources / f"git-{hashlib.sha256(address.encode()).hexdigest()[:16]}"
