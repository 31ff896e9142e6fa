"""Room on disks."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from whyfast.store.files import lacking, readable, used


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 kB"),
        (12_300, "12 kB"),
        (270_815_347, "271 MB"),
        (999_600_000, "1.0 GB"),
        (1_340_000_000, "1.3 GB"),
    ],
)
def test_readable(size: int, text: str) -> None:
    assert readable(size) == text


def test_lacking_asks_the_disk_of_a_folder_that_is_still_to_be_made(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    assert lacking(folder, 1) is None
    said = lacking(folder, 10**18)
    assert said is not None
    assert said.startswith(f"{folder} has ")
    assert said.endswith(" free and about 1000000000.0 GB are needed")


def test_used_counts_files_and_not_what_links_point_to(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_bytes(b"x" * 1000)
    (tmp_path / "link").symlink_to("a/file")
    (tmp_path / "broken").symlink_to("nowhere")
    assert used(tmp_path) == 1000


def test_what_cannot_be_asked_has_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(place: Path) -> None:
        raise PermissionError(place)

    monkeypatch.setattr(shutil, "disk_usage", refuse)
    assert lacking(tmp_path, 10**18) is None
