"""The commits of a range, on real repositories."""

import subprocess
from pathlib import Path

import pytest

from whyfast.model.errors import UserError
from whyfast.model.variant import Variant
from whyfast.search.axes.commits import changed_files, commits, leads, merged_branch, uncommitted


def _git(folder: Path, *arguments: str) -> str:
    settings = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    command = ["git", "-C", str(folder), *settings, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """main: one, two, a merge of side (three), four."""
    folder = tmp_path / "repository"
    folder.mkdir()
    _git(folder, "init", "-q", "-b", "main")
    for name in ("one", "two"):
        _git(folder, "commit", "-q", "--allow-empty", "-m", name)
        _git(folder, "tag", name)
    _git(folder, "checkout", "-q", "-b", "side")
    _git(folder, "commit", "-q", "--allow-empty", "-m", "three")
    _git(folder, "checkout", "-q", "main")
    _git(folder, "commit", "-q", "--allow-empty", "-m", "beside")
    _git(folder, "merge", "-q", "--no-ff", "-m", "merged", "side")
    _git(folder, "commit", "-q", "--allow-empty", "-m", "four")
    return folder


def test_merges_are_followed_by_their_first_parent(repository: Path) -> None:
    found = commits(repository, "one", "main")
    assert [c.title.split(" ", 2)[2] for c in found] == ["one", "two", "beside", "merged", "four"]
    assert [c.name for c in found][:2] == [_git(repository, "rev-parse", n) for n in ("one", "two")]


def test_the_good_end_comes_first_also_where_it_is_the_newer(repository: Path) -> None:
    assert commits(repository, "main", "one") == commits(repository, "one", "main")[::-1]
    assert leads(repository, "one", "main")
    assert not leads(repository, "main", "one")


def test_each_candidate_is_the_variant_at_that_commit(repository: Path) -> None:
    variant = Variant("base", "path:gcc", ("-O2",))
    found = commits(repository, "one", "two", variant)
    commit = _git(repository, "rev-parse", "two")
    assert found[1].variant == Variant(commit[:12], "path:gcc", ("-O2",), revision=commit)


@pytest.mark.parametrize(
    ("good", "bad", "where", "names"),
    [
        ("one", "none", "--bad", "'none'"),
        ("-x", "one", "--good", "'-x'"),
        ("one", "one", "--bad", "same commit"),
        ("main", "side", "--bad", "side came in by a merge"),
        ("side", "main", "--good", "side came in by a merge"),
        ("side", "main~2", "--good", "common ancestor"),
    ],
)
def test_impossible_ends(repository: Path, good: str, bad: str, where: str, names: str) -> None:
    with pytest.raises(UserError) as caught:
        commits(repository, good, bad)
    assert str(caught.value).startswith(f"{where}: ")
    assert names in str(caught.value)


def test_a_shallow_clone_says_what_to_do(repository: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    source = f"file://{repository}"
    subprocess.run(["git", "clone", "-q", "--depth", "1", source, clone], check=True)
    _git(clone, "fetch", "-q", "--depth", "1", "origin", "tag", "one")
    for good in ("one", "two"):
        with pytest.raises(UserError, match="git fetch --unshallow"):
            commits(clone, good, "main")


def test_a_folder_without_a_repository_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"{tmp_path}: "):
        commits(tmp_path, "one", "two")


def test_a_merge_has_a_branch_from_where_it_left(repository: Path) -> None:
    variant = Variant("base", "path:gcc")
    (merge,) = [c for c in commits(repository, "one", "main") if c.title.endswith("merged")]
    branch = merged_branch(repository, merge, variant)
    assert branch is not None
    assert [c.title.split(" ", 2)[2] for c in branch] == ["two", "three"]
    assert branch[1].variant is not None
    assert branch[1].variant.revision == _git(repository, "rev-parse", "side")


def test_what_is_no_merge_has_no_branch(repository: Path) -> None:
    (two,) = [c for c in commits(repository, "one", "main") if c.title.endswith("two")]
    assert merged_branch(repository, two) is None


def test_changes_without_a_commit_are_reported_where_the_bad_end_is_out(repository: Path) -> None:
    (repository / "file").write_text("one")
    _git(repository, "add", "file")
    _git(repository, "commit", "-q", "-m", "file")
    found = commits(repository, "one", "main")
    assert uncommitted(repository, found[-1]) == ""
    assert changed_files(repository, found[-2], found[-1]) == ["file"]
    (repository / "file").write_text("two")
    assert uncommitted(repository, found[-1])
    assert uncommitted(repository, found[-2]) == ""
