"""Git repositories, read without touching their checkout: the tree of one commit, and the two
revisions that a change lies between."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.store.git import (
    borrow,
    commit_named,
    git,
    has_file,
    is_shallow,
    leads,
    must_git,
    own_filters_off,
    without_user,
)


def is_local(repository: str) -> bool:
    """Whether that is a folder and not an address (``https://…``, ``git@host:…``)."""
    return "://" not in repository and not re.match(r"[\w.-]+@[\w.-]+:", repository)


def commit_of(repository: Path, revision: str) -> str:
    """The full hash of the commit that ``revision`` names; UserError when there is none."""
    if commit := commit_named(repository, revision):
        return commit
    there = git(repository, "rev-parse", "--git-dir")
    if there.returncode != 0:
        lines = there.stderr.strip().splitlines() or [""]
        raise UserError(f"not a readable git repository: {lines[0]}", where=repository)
    raise UserError(f"has no commit {revision!r}", where=repository)


def clone(address: str, revision: str, to: Path, progress: Callable[[str], None]) -> Path:
    """A bare copy of a remote repository in the cache, with ``revision`` in it. Fetched again only
    when it lacks the revision. The caller holds a lock. UserError when it is not available."""
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
        lines = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
        raise UserError(f"git: {lines[-1]}", where=without_user(address))


def export(repository: Path, commit: str, to: Path) -> None:
    """Write the files of the commit into the folder ``to``, new or empty, as they are in it, with
    those of its :func:`submodules`. ``export-ignore`` leaves none out, and nothing is fetched."""
    to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="whyfast-git-") as place:
        borrowed = Path(place, "repository")
        borrow(repository, borrowed)
        try:
            must_git(borrowed, "read-tree", commit)
            must_git(borrowed, f"--work-tree={to}", "checkout-index", "--all", f"--prefix={to}/")
        except UserError as error:
            raise UserError(error.message, where=repository) from error
    for path, (inner, its_commit) in submodules(repository, commit).items():
        export(inner, its_commit, to / path)


def submodules(repository: Path, commit: str) -> dict[str, tuple[Path, str]]:
    """The submodules of a commit by their paths, each with a repository on this machine that has
    its commit, and that; without those that were not checked out (``git submodule update``)."""
    if not has_file(repository, commit, ".gitmodules"):
        return {}
    common = git(repository, "rev-parse", "--path-format=absolute", "--git-common-dir")
    listed = must_git(repository, "ls-tree", "-r", "-z", "--full-tree", commit)
    there = {}
    for entry in listed.split("\0"):
        about, _, path = entry.partition("\t")
        if about.startswith("160000 "):
            its_commit = about.split()[2]
            # Its checkout, or what git keeps of it where the checkout is at another commit.
            for inner in (repository / path, Path(common.stdout.strip(), "modules", path)):
                checked_out = (inner / ".git").exists() or (inner / "HEAD").is_file()
                if (
                    checked_out
                    and not git(inner, "cat-file", "-e", f"{its_commit}^{{commit}}").returncode
                ):
                    there[path] = inner, its_commit
                    break
    return there


def lacking_submodules(folder: Path) -> list[str]:
    """The submodules of a checkout that were not checked out."""
    listed = git(
        folder, "config", "--file", ".gitmodules", "--get-regexp", r"^submodule\..*\.path$"
    )
    paths = [line.partition(" ")[2] for line in listed.stdout.splitlines()]
    return [p for p in paths if ".." not in p and not any((folder / p).glob("*"))]


#: The default branch by the names that it usually has, where the repository does not say.
_USUAL = ("origin/main", "origin/master", "main", "master", "trunk")

#: Who a snapshot of uncommitted changes is by, so that equal files make an equal commit.
_NOBODY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "whyfast"), ("EMAIL", "whyfast@localhost"), ("DATE", "@0 +0000"))
}


@dataclass(frozen=True)
class Range:
    """A change: full hashes of both commits, and what they are called in reports."""

    base: str
    head: str
    base_name: str
    head_name: str


def top_level(folder: Path) -> Path:
    """The root of the repository that the folder is in; UserError outside of any."""
    done = git(folder, "rev-parse", "--show-toplevel")
    if done.returncode != 0 or not done.stdout.strip():
        raise UserError("not in a git repository with a checkout", where=folder.absolute())
    return Path(done.stdout.strip())


def change_between(repository: Path, text: str = "") -> Range:
    """The range ``BASE..HEAD``, either side left out: the merge base with the default branch, and
    the working tree. As in ``git diff``, ``BASE...HEAD`` begins at their merge base.
    UserError for what git does not know, and where there is nothing between the two."""
    if text and ".." not in text:
        raise UserError(f"not a range: {text!r}; write BASE..HEAD, or BASE.. for the working tree")
    before, dots, after = re.match(r"(.*?)(\.{2,3}|$)(.*)", text).groups()  # type: ignore[union-attr]
    for name in (before, after):
        if name.startswith("-"):
            raise UserError(f"not a revision: {name!r}")
    head = commit_of(repository, after) if after else snapshot(repository)
    now = "HEAD" if head == commit_of(repository, "HEAD") else "the working tree"
    head_name = after or now
    if before and dots != "...":
        base, base_name = commit_of(repository, before), before
    else:
        branch = before or default_branch(repository)
        base = merge_base(repository, branch, head)
        base_name = f"merge base with {branch}"
    if base == head:
        raise UserError(
            f"there is no change between {base_name} and {head_name}: both are {head[:10]}; "
            "name two revisions as BASE..HEAD",
            where=repository,
        )
    return Range(base, head, base_name, head_name)


def called(name: str, commit: str) -> str:
    """The name of a revision with the short hash of its commit, where it is not that itself; the
    working tree has none."""
    return name if commit.startswith(name) or " " in name else f"{name} ({commit[:10]})"


def commits_between(repository: Path, change: Range) -> int:
    """How many commits lead by first parents from the base to the head, 0 where none do."""
    if not leads(repository, change.base, change.head):
        return 0
    count = git(
        repository, "rev-list", "--count", "--first-parent", f"{change.base}..{change.head}"
    )
    return int(count.stdout) if count.returncode == 0 else 0


def default_branch(repository: Path) -> str:
    """The branch that changes are made for; UserError when it cannot be told."""
    remote_head = git(repository, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
    for name in (remote_head.stdout.strip(), *_USUAL):
        if name and commit_named(repository, name):
            return name
    raise UserError(
        f"has no branch {', '.join(_USUAL)}, so the base is not known; name it: BASE..HEAD",
        where=repository,
    )


def merge_base(repository: Path, branch: str, head: str) -> str:
    """The last commit that both have; UserError when there is none, or it was not cloned."""
    commit_of(repository, branch)
    done = git(repository, "merge-base", branch, head)
    if done.returncode == 0 and done.stdout.strip():
        return done.stdout.strip()
    if is_shallow(repository):
        raise UserError(
            f"is a shallow clone without the merge base with {branch}; fetch the history "
            "(git fetch --unshallow, or fetch-depth: 0 of actions/checkout)",
            where=repository,
        )
    raise UserError(f"{branch} and {head[:10]} have no commit in common", where=repository)


def snapshot(repository: Path) -> str:
    """The files as they are now, as a commit on top of HEAD; HEAD itself when nothing is changed.
    New files count unless git ignores them. Only objects are written: neither the index nor any
    branch changes, and git collects what nothing refers to."""
    head = commit_of(repository, "HEAD")
    with tempfile.TemporaryDirectory(prefix="whyfast-git-") as place:
        env = {"GIT_INDEX_FILE": str(Path(place, "index")), **_NOBODY}
        index = git(repository, "rev-parse", "--git-path", "index").stdout.strip()
        if index and os.path.exists(repository / index):
            # Its dates spare git reading what has not changed.
            shutil.copy2(repository / index, env["GIT_INDEX_FILE"])
        tree = ""
        # Also what the index has is run through filters again where its dates differ.
        add = (*own_filters_off(repository), "add", "--all", "--", ".")
        for words in (add, ("write-tree",)):
            done = git(repository, *words, env=env)
            if done.returncode != 0:
                lines = done.stderr.strip().splitlines() or ["git failed"]
                raise UserError(f"the files cannot be taken: {lines[-1]}", where=repository)
            tree = done.stdout.strip()
        if tree == git(repository, "rev-parse", f"{head}^{{tree}}").stdout.strip():
            return head
        made = git(repository, "commit-tree", tree, "-p", head, "-m", "uncommitted", env=env)
        if made.returncode != 0:
            raise UserError(f"no snapshot can be made: {made.stderr.strip()}", where=repository)
        return made.stdout.strip()
