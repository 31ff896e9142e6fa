"""Ranges of commits, and the files as they are."""

import subprocess
from pathlib import Path

import pytest
from tests.golden_files import Hear, refusal

from whyfast.build.revisions import (
    change_between,
    commits_between,
    export,
    lacking_submodules,
    snapshot,
    submodules,
    top_level,
)
from whyfast.model.errors import UserError
from whyfast.store.git import git as git_at


def git(where: Path, *words: str) -> str:
    who = ["-c", "user.name=n", "-c", "user.email=e@e"]
    done = subprocess.run(
        ["git", *who, "-C", str(where), *words], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """main with two commits, and a branch with one more beside the second."""
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    for text in ("one", "two"):
        (folder / "a.txt").write_text(text)
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", text)
    git(folder, "checkout", "-qb", "branch", "HEAD~1")
    (folder / "b.txt").write_text("three")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "three")
    return folder


def test_the_merge_base_with_the_default_branch_and_head(repo: Path) -> None:
    found = change_between(repo)
    assert found.base == git(repo, "rev-parse", "main~1")
    assert found.head == git(repo, "rev-parse", "branch")
    assert (found.base_name, found.head_name) == ("merge base with main", "HEAD")


def test_two_revisions_as_they_are_and_from_their_merge_base(repo: Path) -> None:
    assert change_between(repo, "main..branch").base == git(repo, "rev-parse", "main")
    assert change_between(repo, "main...branch").base == git(repo, "rev-parse", "main~1")


def test_commits_between_are_those_of_the_first_parents(repo: Path) -> None:
    assert commits_between(repo, change_between(repo, "main~1..main")) == 1
    git(repo, "merge", "-q", "--no-ff", "-m", "merged", "main")
    assert commits_between(repo, change_between(repo, "main~1..branch")) == 2
    assert commits_between(repo, change_between(repo, "branch~1..main")) == 0


def test_uncommitted_changes_are_a_snapshot_and_nothing_else(repo: Path, golden: Hear) -> None:
    (repo / ".gitignore").write_text("*.o\n")
    (repo / "ignored.o").write_text("")
    (repo / "a.txt").write_text("now")
    (repo / "new.txt").write_text("new")
    git(repo, "add", "new.txt")
    before = (git(repo, "status", "--short"), git(repo, "show-ref"), git(repo, "stash", "list"))
    commit = snapshot(repo)
    assert before == (
        git(repo, "status", "--short"),
        git(repo, "show-ref"),
        git(repo, "stash", "list"),
    )
    assert git(repo, "ls-tree", "--name-only", commit).split() == [
        *(".gitignore", "a.txt", "b.txt", "new.txt")
    ]
    assert git_at(repo, "show", f"{commit}:a.txt").stdout == "now"
    assert git(repo, "rev-parse", f"{commit}~1") == git(repo, "rev-parse", "HEAD")
    assert snapshot(repo) == commit
    golden(change_between(repo).head_name)


def test_without_changes_the_snapshot_is_head(repo: Path) -> None:
    assert snapshot(repo) == git(repo, "rev-parse", "HEAD")


def test_a_file_that_was_deleted_is_gone(repo: Path) -> None:
    (repo / "b.txt").unlink()
    assert git_at(repo, "show", f"{snapshot(repo)}:b.txt").returncode


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("main", "not a range: 'main'; write BASE..HEAD, or BASE.. for the working tree"),
        ("nope..main", "{repo}: has no commit 'nope'"),
        ("--all..main", "not a revision: '--all'"),
        (
            "main..main",
            "{repo}: there is no change between main and main: both are {main}; name two "
            "revisions as BASE..HEAD",
        ),
    ],
)
def test_bad_ranges(repo: Path, text: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        change_between(repo, text)
    short = git(repo, "rev-parse", "main")[:10]
    assert str(caught.value) == said.format(repo=repo, main=short)


def test_no_default_branch(repo: Path) -> None:
    git(repo, "branch", "-m", "main", "elsewhere")
    with pytest.raises(UserError, match="so the base is not known; name it"):
        change_between(repo)


def test_a_shallow_clone_says_what_to_fetch(repo: Path, tmp_path: Path, golden: Hear) -> None:
    clone = tmp_path / "clone"
    git(repo, "checkout", "-q", "main")
    git(tmp_path, "clone", "-q", "--depth=1", "--no-single-branch", f"file://{repo}", str(clone))
    git(clone, "checkout", "-q", "branch")
    golden(refusal(UserError, lambda: change_between(clone)))


def test_unrelated_histories(repo: Path) -> None:
    git(repo, "checkout", "-q", "--orphan", "other")
    git(repo, "commit", "-qm", "alone")
    with pytest.raises(UserError, match="have no commit in common"):
        change_between(repo)


def test_outside_of_any_repository(tmp_path: Path, golden: Hear) -> None:
    golden(refusal(UserError, lambda: top_level(tmp_path)))


def test_submodules_are_taken_at_their_commits(repo: Path, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    git(inner, "init", "-q", "-b", "main")
    for text in ("old", "new"):
        (inner / "lib.c").write_text(text)
        git(inner, "add", "-A")
        git(inner, "commit", "-qm", text)
    words = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add")
    git(repo, *words, str(inner), "vendor/inner")
    git(repo / "vendor/inner", "checkout", "-q", "HEAD~1")
    git(repo, "commit", "-qam", "with a submodule")
    git(repo / "vendor/inner", "checkout", "-q", "main")  # the work tree is elsewhere
    head = git(repo, "rev-parse", "HEAD")
    export(repo, head, tmp_path / "made")
    assert (tmp_path / "made/vendor/inner/lib.c").read_text() == "old"
    assert (tmp_path / "made/b.txt").read_text() == "three"
    assert lacking_submodules(repo) == []
    # A clone without them has its own files alone.
    fresh = tmp_path / "fresh"
    git(tmp_path, "clone", "-q", str(repo), str(fresh))
    assert submodules(fresh, head) == {}
    assert lacking_submodules(fresh) == ["vendor/inner"]
    export(fresh, head, tmp_path / "without")
    assert not (tmp_path / "without/vendor/inner/lib.c").exists()
