"""The commits of a range, by first parents, from the good end to the bad one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.model.variant import Variant
from whyfast.search.axes.candidate import AxisCandidate


def commits(
    repository: Path, good: str, bad: str, variant: Variant | None = None
) -> tuple[AxisCandidate, ...]:
    """Every commit that turned ``good`` into ``bad``, both ends among them; merges are followed by
    their first parent. With ``variant``, each is that variant at the commit.

    UserError for a name that is no commit, for a shallow clone that does not reach so far, and
    where no path leads from one to the other.
    """
    first, last = (_commit(repository, end, name) for end, name in ((good, "good"), (bad, "bad")))
    if first == last:
        raise UserError(f"{good} and {bad} are the same commit", where="--bad")
    path = _git(repository, "rev-list", "--first-parent", "--reverse", f"{first}..{last}").split()
    if not _leads(repository, first, last):
        hint = _why_not(repository, first, last, good, bad)
        raise UserError(f"no path leads from {good} to {bad}; {hint}", where="--good")
    parent = _git(repository, "rev-parse", f"{path[0]}^").strip() if path else first
    if parent != first:
        hint = "name a commit of the line of first parents that leads to the bad one"
        raise UserError(f"{good} came in by a merge; {hint}", where="--good")
    return tuple(_candidate(repository, commit, variant) for commit in (first, *path))


def _candidate(repository: Path, commit: str, variant: Variant | None) -> AxisCandidate:
    said = _git(repository, "show", "-s", "--format=%h %cs %s", commit).strip()
    built = replace(variant, name=commit[:12], revision=commit, axes={}) if variant else None
    return AxisCandidate(commit, said, built)


def _commit(repository: Path, name: str, which: str) -> str:
    done = _run(repository, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    if done.returncode:
        raise UserError(f"{name!r} is no commit of {repository}", where=f"--{which}")
    return done.stdout.strip()


def _leads(repository: Path, first: str, last: str) -> bool:
    return _run(repository, "merge-base", "--is-ancestor", first, last).returncode == 0


def _why_not(repository: Path, first: str, last: str, good: str, bad: str) -> str:
    if _leads(repository, last, first):
        return f"{bad} is the older one: a search goes from an older good commit to a newer bad one"
    if _git(repository, "rev-parse", "--is-shallow-repository").strip() == "true":
        return "the clone is shallow: git fetch --unshallow"
    base = _run(repository, "merge-base", first, last).stdout.strip()
    return f"their common ancestor is {base[:12]}" if base else "they have no common ancestor"


def _git(repository: Path, *arguments: str) -> str:
    done = _run(repository, *arguments)
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise UserError(f"git {arguments[0]}: {said[-1] if said else 'failed'}", where=repository)
    return done.stdout


def _run(repository: Path, *arguments: Sequence[str] | str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            ["git", "-C", str(repository), *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            env={**os.environ, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"},
            check=False,
        )
    except OSError as error:
        raise UserError(f"git cannot be run: {error}", where=repository) from error
