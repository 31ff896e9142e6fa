"""The tree of one commit, taken out of a git repository without touching its checkout."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.store.git import borrow, git, must_git, without_user


def is_local(repository: str) -> bool:
    """Whether that is a folder and not an address (``https://…``, ``git@host:…``)."""
    return "://" not in repository and not re.match(r"[\w.-]+@[\w.-]+:", repository)


def commit_of(repository: Path, revision: str) -> str:
    """The full hash of the commit that ``revision`` names; UserError when there is none."""
    done = git(repository, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if done.returncode != 0:
        there = git(repository, "rev-parse", "--git-dir")
        if there.returncode != 0:
            said = there.stderr.strip().splitlines() or [""]
            raise UserError(f"is no git repository to read: {said[0]}", where=repository)
        raise UserError(f"has no commit {revision!r}", where=repository)
    return done.stdout.strip()


def clone(address: str, revision: str, to: Path, progress: Callable[[str], None]) -> Path:
    """A bare copy of a remote repository in the cache, with ``revision`` in it.

    Fetched again only when it lacks the revision. The caller holds a lock. UserError when it cannot
    be had.
    """
    if not (to / "HEAD").exists():
        progress(f"cloning {without_user(address)}")
        to.parent.mkdir(parents=True, exist_ok=True)
        # git makes HEAD first of all: a clone that was killed would look complete.
        unfinished = to.with_name(f"{to.name}-unfinished")
        for remains in (unfinished, to):
            shutil.rmtree(remains, ignore_errors=True)
        _remote(to.parent, address, "clone", "--quiet", "--mirror", "--", address, str(unfinished))
        # A token in the address is the study's to keep.
        must_git(unfinished, "remote", "set-url", "origin", without_user(address))
        unfinished.rename(to)
    elif git(to, "cat-file", "-e", f"{revision}^{{commit}}").returncode != 0:
        progress(f"fetching {without_user(address)}")
        _remote(to, address, "fetch", "--quiet", "--prune", "--", address, "+refs/*:refs/*")
    return to


def _remote(where: Path, address: str, *arguments: str) -> None:
    done = git(where, *arguments)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
        raise UserError(f"git: {said[-1]}", where=without_user(address))


def export(repository: Path, commit: str, to: Path) -> None:
    """Write the files of the commit into the new folder ``to``, as they are in it.

    Neither ``export-ignore`` leaves any out nor are submodules fetched.
    """
    to.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="whyfast-git-") as place:
        own = Path(place, "repository")
        borrow(repository, own)
        must_git(own, "read-tree", commit)
        must_git(own, f"--work-tree={to}", "checkout-index", "--all", f"--prefix={to}/")
