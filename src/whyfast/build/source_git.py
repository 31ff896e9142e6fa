"""The tree of one commit, taken out of a git repository without touching its checkout."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.toolchain.command import run

#: A user's settings must not decide what a file looks like; nor may a repository's hooks run.
_SETTINGS = ("-c", "core.autocrlf=false", "-c", "core.eol=lf", "-c", "core.hooksPath=/dev/null")


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
        progress(f"cloning {address}")
        to.parent.mkdir(parents=True, exist_ok=True)
        # git makes HEAD first of all: a clone that was killed would look complete.
        unfinished = to.with_name(f"{to.name}-unfinished")
        for remains in (unfinished, to):
            shutil.rmtree(remains, ignore_errors=True)
        _must(to.parent, address, "clone", "--quiet", "--mirror", "--", address, str(unfinished))
        unfinished.rename(to)
    elif git(to, "cat-file", "-e", f"{revision}^{{commit}}").returncode != 0:
        progress(f"fetching {address}")
        _must(to, address, "fetch", "--quiet", "--prune", "origin")
    return to


def export(repository: Path, commit: str, to: Path) -> None:
    """Write the files of the commit into the new folder ``to``, as they are in it.

    Neither ``export-ignore`` leaves any out nor are submodules fetched.
    """
    to.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="whyfast-git-") as place:
        # An index of our own: the user's stays as it is.
        env = {"GIT_INDEX_FILE": str(Path(place, "index"))}
        _must(repository, commit, "read-tree", commit, env=env)
        _must(
            *(repository, commit, f"--work-tree={to}"),
            *("checkout-index", "--all", f"--prefix={to}/"),
            env=env,
        )


def _must(where: Path, what: str, *arguments: str, env: dict[str, str] | None = None) -> None:
    done = git(where, *arguments, env=env)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise UserError(f"git: {said[-1] if said else done.returncode}", where=what)


def git(
    where: Path, *arguments: str, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run git there, untouched by the user's settings; UserError when it cannot be run."""
    try:
        return run(
            ["git", *_SETTINGS, "-C", str(where), *arguments],
            env={**os.environ, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", **(env or {})},
        )
    except OSError as error:
        raise UserError(f"git cannot be run: {error}", where=where) from error
