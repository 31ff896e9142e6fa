"""Folders of Criterion that are huge, damaged or hostile."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.formats import criterion
from whyfast.formats.load import load_recording
from whyfast.model.errors import UserError

SAMPLE = '{"iters": [1.0, 2.0], "times": [10.0, 20.0]}'


def benchmark(top: Path, name: str, text: str = SAMPLE) -> Path:
    folder = top / name / "new"
    folder.mkdir(parents=True)
    (folder / "sample.json").write_text(text)
    return folder / "sample.json"


def test_links_are_not_followed(tmp_path: Path) -> None:
    """In a circle, out of the folder, and into devices."""
    benchmark(tmp_path, "fib")
    (tmp_path / "self").symlink_to(".")
    (tmp_path / "fib" / "up").symlink_to("../..")
    (tmp_path / "devices").mkdir()
    (tmp_path / "devices" / "new").symlink_to("/dev")
    assert list(load_recording(str(tmp_path)).series) == ["fib"]


def test_a_file_of_a_gigabyte_is_refused(tmp_path: Path) -> None:
    file = benchmark(tmp_path, "fib")
    os.truncate(file, 1_000_000_000)
    with pytest.raises(UserError) as caught:
        load_recording(str(tmp_path))
    assert str(caught.value).startswith(f"{file}: holds more than 4 MB of text")


@pytest.mark.parametrize("what", ["pipe", "device"])
def test_what_is_no_plain_file_is_said(tmp_path: Path, what: str) -> None:
    file = benchmark(tmp_path, "fib")
    file.unlink()
    if what == "pipe":
        os.mkfifo(file)
    else:
        file.symlink_to("/dev/zero")
    with pytest.raises(UserError) as caught:
        load_recording(str(tmp_path))
    assert str(caught.value) == f"{file}: is not a file"


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"iters": [0], "times": [1]}', '{"iters": [1], "times": [1e999]}']
)
def test_a_damaged_one_is_named(tmp_path: Path, text: str) -> None:
    benchmark(tmp_path, "fib")
    file = benchmark(tmp_path, "sort", text)
    with pytest.raises(UserError) as caught:
        load_recording(str(tmp_path))
    assert str(caught.value).startswith(str(file))


def test_more_folders_than_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Hear
) -> None:
    monkeypatch.setattr(criterion, "_MOST_FOLDERS", 5)
    for name in "abc":
        benchmark(tmp_path, name)
    with pytest.raises(UserError) as caught:
        load_recording(str(tmp_path))
    golden(str(caught.value))
