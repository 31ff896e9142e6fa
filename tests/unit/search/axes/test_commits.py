"""The commits of a range, on real repositories."""

import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.studies.commit_study import Repository

from whyfast.model.errors import UserError
from whyfast.model.variant import Variant
from whyfast.search.axes.ranges import commits, merged_branch, uncommitted
from whyfast.search.state import AxisCandidate
from whyfast.store.git import changed_files, leads, must_git

VARIANT = Variant("base", "path:gcc", ("-O2",))


@pytest.fixture
def made(tmp_path: Path) -> Repository:
    """main: one, two, beside, a merge of side (three), four."""
    made = Repository(tmp_path / "repository")
    empty = ("commit", "-q", "--allow-empty", "-m")
    for name in ("one", "two"):
        made.git(*empty, name)
        made.git("tag", name)
    made.git("checkout", "-q", "-b", "side")
    made.git(*empty, "three")
    made.git("checkout", "-q", "main")
    made.git(*empty, "beside")
    made.git("merge", "-q", "--no-ff", "-m", "merged", "side")
    made.git(*empty, "four")
    return made


@pytest.fixture
def repository(made: Repository) -> Path:
    return made.folder


def _titles(candidates: Sequence[AxisCandidate]) -> list[str]:
    return [c.title.split(" ", 2)[2] for c in candidates]


def test_every_commit_along_first_parents_from_the_good_end(repository: Path) -> None:
    candidates = commits(repository, "one", "main", VARIANT)
    assert _titles(candidates) == ["one", "two", "beside", "merged", "four"]
    two = must_git(repository, "rev-parse", "two").strip()
    assert candidates[1].name == two
    assert candidates[1].variant == replace(VARIANT, name=two[:12], revision=two)
    assert commits(repository, "main", "one", VARIANT) == candidates[::-1]
    assert leads(repository, "one", "main")
    assert not leads(repository, "main", "one")


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
    must_git(clone, "fetch", "-q", "--depth", "1", "origin", "tag", "one")
    for good in ("one", "two"):
        with pytest.raises(UserError, match="git fetch --unshallow"):
            commits(clone, good, "main")


def test_a_folder_without_a_repository(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"{tmp_path}: "):
        commits(tmp_path, "one", "two")


def test_only_a_merge_has_a_branch_from_the_fork_on(repository: Path) -> None:
    _, two, _, merge, _ = commits(repository, "one", "main")
    branch = merged_branch(repository, merge, VARIANT)
    assert branch is not None
    assert _titles(branch) == ["two", "three"]
    assert branch[1].variant is not None
    assert branch[1].variant.revision == must_git(repository, "rev-parse", "side").strip()
    assert merged_branch(repository, two) is None


def test_uncommitted_changes_are_reported_where_the_bad_end_is_checked_out(
    made: Repository,
) -> None:
    (made.folder / "file").write_text("one")
    made.commit("file")
    *_, before, last = commits(made.folder, "one", "main")
    assert uncommitted(made.folder, last) == ""
    assert changed_files(made.folder, before.name, last.name) == ["file"]
    (made.folder / "file").write_text("two")
    assert uncommitted(made.folder, last)
    assert uncommitted(made.folder, before) == ""
