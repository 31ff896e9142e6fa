"""The commits of a range, by first parents, from the good end to the bad one, older or newer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from whyfast.investigate.services import Observer
from whyfast.model.errors import UserError
from whyfast.model.variant import Variant
from whyfast.search.axes.axis import CandidateRange, SearchRequest
from whyfast.search.state import AxisCandidate
from whyfast.store.git import git, must_git, own_filters_off


def commit_range(
    repository: Path, search: SearchRequest, observer: Observer, variant: Variant | None = None
) -> CandidateRange:
    """The commits from the good end to the bad one; notes uncommitted changes where the newer end
    is checked out. With ``variant``, each candidate is that variant."""
    candidates = commits(repository, search.good, search.bad, variant)
    backwards = leads(repository, candidates[-1].name, candidates[0].name)
    if note := uncommitted(repository, candidates[0 if backwards else -1]):
        observer.note(note)
    return CandidateRange(
        candidates,
        backwards=backwards,
        branch=lambda merge: merged_branch(repository, merge, variant),
    )


def commits(
    repository: Path, good: str, bad: str, variant: Variant | None = None
) -> tuple[AxisCandidate, ...]:
    """Every commit on the way from ``good`` to ``bad``, both included, along first parents. With
    ``variant``, each is that variant at the commit. UserError for a name that is no commit, for a
    shallow clone that does not reach so far, and where no path leads from one to the other."""
    old, new = (_commit(repository, end, name) for end, name in ((good, "good"), (bad, "bad")))
    if old == new:
        raise UserError(f"{good} and {bad} are the same commit", where="--bad")
    name, option, backwards = good, "--good", leads(repository, new, old)
    if backwards:
        old, new, name, option = new, old, bad, "--bad"
    elif not leads(repository, old, new):
        hint = _why_not(repository, old, new)
        raise UserError(f"no path leads from {good} to {bad}; {hint}", where="--good")
    path = _first_parents(repository, f"{old}..{new}")
    if must_git(repository, "rev-parse", f"{path[0]}^").strip() != old:
        hint = "name a commit on the line of first parents of the newer end"
        raise UserError(f"{name} came in by a merge; {hint}", where=option)
    candidates = _candidates(repository, (old, *path), variant)
    return candidates[::-1] if backwards else candidates


def _first_parents(repository: Path, *revisions: str) -> list[str]:
    """The commits of a range along first parents, oldest first."""
    words = ("rev-list", "--first-parent", "--reverse", *revisions, "--")
    return must_git(repository, *words).split()


def merged_branch(
    repository: Path, merge: AxisCandidate, variant: Variant | None = None
) -> tuple[AxisCandidate, ...] | None:
    """The branch that a merge of two commits brought in, along first parents from the fork to its
    tip. None for other commits, and for a merge that brought nothing."""
    parents = must_git(repository, "show", "-s", "--format=%P", merge.name).split()
    if len(parents) != 2:
        return None
    ours, theirs = parents
    path = _first_parents(repository, theirs, f"^{ours}")
    origin = must_git(repository, "show", "-s", "--format=%P", path[0]).split() if path else []
    return _candidates(repository, (origin[0], *path), variant) if origin else None


def changed_files(repository: Path, parent: AxisCandidate, commit: AxisCandidate) -> list[str]:
    """The paths that differ between two commits."""
    return must_git(repository, "diff", "--name-only", parent.name, commit.name, "--").splitlines()


def uncommitted(repository: Path, newer: AxisCandidate) -> str:
    """A note on uncommitted changes; empty unless ``newer`` is checked out there."""
    head = git(repository, "rev-parse", "--verify", "--quiet", "HEAD").stdout.strip()
    status = (*own_filters_off(repository), "status", "--porcelain", "--untracked-files=no")
    if head != newer.name or not git(repository, *status).stdout.strip():
        return ""
    return f"{repository} has uncommitted changes, which are not part of the search"


def _candidates(
    repository: Path, commits: Sequence[str], variant: Variant | None
) -> tuple[AxisCandidate, ...]:
    titles = must_git(
        *(repository, "log", "--no-walk=unsorted", "--format=%h %cs %s", "--stdin"),
        given="\n".join(commits),
    ).splitlines()
    return tuple(
        AxisCandidate(
            commit,
            title.strip(),
            replace(variant, name=commit[:12], revision=commit, axes={}) if variant else None,
        )
        for commit, title in zip(commits, titles, strict=True)
    )


def _commit(repository: Path, name: str, which: str) -> str:
    done = git(repository, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    if done.returncode:
        shallow = git(repository, "rev-parse", "--is-shallow-repository")
        if shallow.returncode:
            raise UserError("not a git repository", where=repository)
        hint = (
            ", whose clone is shallow: git fetch --unshallow"
            if shallow.stdout.strip() == "true"
            else ""
        )
        raise UserError(f"unknown commit {name!r} in {repository}{hint}", where=f"--{which}")
    return done.stdout.strip()


def leads(repository: Path, first: str, last: str) -> bool:
    """Whether the first of two commits is an ancestor of the last."""
    return git(repository, "merge-base", "--is-ancestor", first, last).returncode == 0


def _why_not(repository: Path, first: str, last: str) -> str:
    if must_git(repository, "rev-parse", "--is-shallow-repository").strip() == "true":
        return "the clone is shallow: git fetch --unshallow"
    base = git(repository, "merge-base", first, last).stdout.strip()
    return f"their common ancestor is {base[:12]}" if base else "they have no common ancestor"
