"""Folders that are there wholly or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from whyfast.store import files as complete
from whyfast.store.files import discard, lock_of, make_once, replacing


def _root(folder: Path) -> Path:
    (folder / "root" / "usr").mkdir(parents=True)
    (folder / "digest").write_text("d1\n")
    return folder


def test_nothing_is_left(tmp_path: Path) -> None:
    root = _root(tmp_path / "root-1")
    (root / "root" / "usr").chmod(0o555)
    discard(root)
    assert list(tmp_path.iterdir()) == []
    discard(root)  # it is not there


def test_interrupted_it_has_lost_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = _root(tmp_path / "root-1")

    def interrupted(folder: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(complete, "delete", interrupted)
    with pytest.raises(KeyboardInterrupt):
        discard(root)
    (remains,) = tmp_path.iterdir()
    assert remains.name.startswith("root-1-unfinished-")


def test_a_folder_appears_when_complete_and_takes_the_place_of_another(
    tmp_path: Path,
) -> None:
    folder = _root(tmp_path / "root-1")
    with replacing(folder) as work:
        (work / "made").mkdir()
        (work / "scratch").touch()
        assert (folder / "digest").exists()
    assert list(folder.iterdir()) == []
    assert list(tmp_path.iterdir()) == [folder]


def test_what_fails_leaves_everything_as_it_was(tmp_path: Path) -> None:
    folder = _root(tmp_path / "root-1")

    def interrupted() -> None:
        with replacing(folder) as work:
            (work / "made").mkdir()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (folder / "digest").read_text() == "d1\n"
    assert list(tmp_path.iterdir()) == [folder]


def test_remains_of_a_killed_process_are_deleted_and_those_of_others_stay(tmp_path: Path) -> None:
    _root(tmp_path / "root-1-unfinished-x")
    other = _root(tmp_path / "root-11-unfinished-x")
    with replacing(tmp_path / "root-1") as work:
        (work / "made").mkdir()
    assert sorted(tmp_path.iterdir()) == [tmp_path / "root-1", other]


def test_it_is_made_once(tmp_path: Path) -> None:
    folder, made = tmp_path / "root-1", []

    def make() -> None:
        assert lock_of(folder) == tmp_path / "root-1.lock"
        assert lock_of(folder).exists()
        made.append(1)
        folder.mkdir()

    for _ in range(2):
        make_once(folder, folder.is_dir, make, lambda: None)
    assert made == [1]
