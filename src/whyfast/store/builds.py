"""Finished builds on disk, one folder a digest.

<digest>/provenance.json   everything that went in and came out; written last, so that it
                           is there exactly when the build is complete
<digest>/failure.json      instead of it, of a build that failed: its variant, compiler, reason
<digest>/log.txt           what the steps printed
<digest>/work/             the build folder, with the program
<digest>/used              the number of the last use; its modification time is for people to read

sequence                   the last number: of a use, a failure or a process. The clock may be set
                           back, so that it orders nothing
in-use-…                   one a process that runs builds, locked while it does, with a number; what
                           was used since is not removed
"""

from __future__ import annotations

import contextlib
import json
import math
import shutil
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from whyfast.model.errors import UserError
from whyfast.store.files import exclusive, exclusive_if_free, next_number, used, write_whole


@dataclass(frozen=True)
class StoredBuild:
    """One complete build in the store. ``size`` in bytes, ``used`` in seconds since the epoch,
    ``order`` the number of the last use."""

    digest: str
    folder: Path
    provenance: Mapping[str, Any]
    used: float
    order: int

    @property
    def size(self) -> int:
        return used(self.folder)


@dataclass(frozen=True)
class FailedBuild:
    """A build whose steps failed, until the same is tried again; ``when`` since the epoch."""

    digest: str
    folder: Path
    variant: str
    compiler: str
    reason: str
    when: float


@dataclass(frozen=True)
class Removed:
    """The folders that went with the bytes that this freed, by digest, and how many stayed as they
    are in use."""

    freed: Mapping[str, int]
    kept: int


class BuildStore:
    """The folder of all builds."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def folder(self, digest: str) -> Path:
        """Where the build of that digest is or will be."""
        return self.root / digest

    def lock(self, digest: str) -> Path:
        """The lock file that whoever makes this build holds."""
        return self.root / f"{digest}.lock"

    def find(self, digest: str) -> StoredBuild | None:
        """The complete build of exactly that digest, marked as used now."""
        if not self._load(self.folder(digest)):
            return None
        with exclusive(self._gate):  # found and marked at once, or removed meanwhile
            build = self._load(self.folder(digest))
            if build:
                write_whole(build.folder / "used", str(self._next()))
            return build

    @contextlib.contextmanager
    def in_use(self) -> Iterator[None]:
        """While the block runs, no other process removes what is found from now on."""
        mark = self.root / f"in-use-{uuid.uuid4().hex}"
        with exclusive(mark):
            try:
                mark.write_text(str(self._next()))
                yield
            finally:
                mark.unlink(missing_ok=True)

    @property
    def _gate(self) -> Path:
        return self.root / "find.lock"

    def _next(self) -> int:
        return next_number(self.root / "sequence")

    def _in_use_since(self) -> float:
        """The number of the first process that runs builds now; infinity when there is none."""
        since = math.inf
        for mark in self.root.glob("in-use-*"):
            with contextlib.suppress(FileNotFoundError), exclusive_if_free(mark) as free:
                if free:  # its holder was killed
                    mark.unlink(missing_ok=True)
                else:
                    since = min(since, _number(mark))
        return since

    def all(self) -> Iterator[StoredBuild]:
        """Every complete build, most recently used first."""
        folders = [f for f in self.root.iterdir() if f.is_dir()] if self.root.is_dir() else []
        builds = (self._load(f) for f in folders)
        yield from sorted((b for b in builds if b), key=lambda b: (-b.order, -b.used))

    def last_like(self, source: str | None, steps: Sequence[str]) -> StoredBuild | None:
        """The build last used of the source with that digest, or any, by those steps."""
        wanted = {"steps": list(steps), **({"source": source} if source else {})}
        return next(
            (b for b in self.all() if wanted.items() <= b.provenance["inputs"].items()), None
        )

    def add_failure(self, digest: str, variant: str, compiler: str, reason: str) -> None:
        """Note beside its log why the build of that digest failed."""
        text = {"variant": variant, "compiler": compiler, "reason": reason, "order": self._next()}
        (self.folder(digest) / "failure.json").write_text(json.dumps(text))

    def failures(self) -> Iterator[FailedBuild]:
        """Every build that failed and was not made since, the last first."""
        known: list[tuple[int, FailedBuild]] = []
        for file in self.root.glob("*/failure.json"):
            if (file.parent / "provenance.json").exists():
                continue
            try:
                text = json.loads(file.read_text())
                details = (text["variant"], text["compiler"], text["reason"])
                failed = FailedBuild(file.parent.name, file.parent, *details, file.stat().st_mtime)
                known.append((int(text.get("order", 0)), failed))
            except (OSError, ValueError, KeyError, TypeError):
                continue
        yield from (failed for _, failed in sorted(known, key=lambda k: -k[0]))

    def by_prefix(self, prefix: str) -> StoredBuild:
        """The one build whose digest begins with ``prefix``; UserError for none or several."""
        return _only(prefix, list(self.all()))

    def tried(self, prefix: str) -> StoredBuild | FailedBuild:
        """Like :meth:`by_prefix`, among the failed ones too."""
        known: list[StoredBuild | FailedBuild] = [*self.all(), *self.failures()]
        return _only(prefix, known)

    def remove_unused(self, older_than: float, now: float | None = None) -> Removed:
        """Delete builds not used for ``older_than`` seconds and remains of interrupted ones. What
        is being built at the moment stays, and what a running process uses."""
        now = time.time() if now is None else now
        freed: dict[str, int] = {}
        kept = 0
        if not self.root.is_dir():
            return Removed(freed, kept)
        for folder in [f for f in self.root.iterdir() if f.is_dir()]:
            with exclusive_if_free(self.lock(folder.name)) as free:
                if not free:
                    continue
                with exclusive(self._gate):
                    build = self._load(folder)
                    last_use = build.used if build else folder.stat().st_mtime
                    if older_than and now - last_use < older_than:
                        continue
                    if build and build.order >= self._in_use_since():
                        kept += 1
                        continue
                    size = used(folder)
                    # First, or what an interrupt leaves would pass for a complete build.
                    (folder / "provenance.json").unlink(missing_ok=True)
                shutil.rmtree(folder)
                self.lock(folder.name).unlink(missing_ok=True)
            freed[folder.name] = size
        return Removed(freed, kept)

    def _load(self, folder: Path) -> StoredBuild | None:
        try:
            provenance = json.loads((folder / "provenance.json").read_text())
        except (OSError, ValueError, RecursionError):
            return None
        # Not the record of a build, but what a damaged disk or an editor left of one.
        if not isinstance(provenance, dict) or not all(
            isinstance(provenance.get(key), kind) for key, kind in _RECORD.items()
        ):
            return None
        try:
            last_use = (folder / "used").stat().st_mtime
        except OSError:
            last_use = (folder / "provenance.json").stat().st_mtime
        return StoredBuild(folder.name, folder, provenance, last_use, _number(folder / "used"))


def _number(file: Path) -> int:
    """What is written in it; 0 where nothing is yet."""
    try:
        return int(file.read_text())
    except (OSError, ValueError):
        return 0


#: What every record of a build has, and of which type.
_RECORD: Mapping[str, type | tuple[type, ...]] = {
    "digest": str,
    "variant": str,
    "program": str,
    "program_sha256": str,
    "inputs": dict,
    "source": dict,
    "toolchain": dict,
    "started": (int, float),
    "seconds": (int, float),
}


_Known = TypeVar("_Known", StoredBuild, StoredBuild | FailedBuild)


def _only(prefix: str, builds: Sequence[_Known]) -> _Known:
    matches = [b for b in builds if b.digest.startswith(prefix.lower())]
    if not prefix or not matches:
        raise UserError(f"no build has a digest beginning with {prefix!r}; see whyfast builds")
    if len(matches) > 1:
        names = ", ".join(b.digest[:12] for b in matches[:5])
        raise UserError(f"{len(matches)} builds have a digest beginning with {prefix!r}: {names}")
    return matches[0]
