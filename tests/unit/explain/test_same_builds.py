"""What of a build that is no single program of machine code counts as what runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from whyfast.explain.same_code import same_builds

FILES = {"src/a/__init__.py": "x = 1\n", "python": "#!/bin/sh\n"}


def build(folder: Path, files: dict[str, str]) -> tuple[Path, Path]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder, Path("python")


@pytest.mark.parametrize(
    "more",
    [
        {"src/whyfast.toml": "[study]\n"},
        {"src/.gitignore": "*.pyc\n"},
        {"src/README.md": "new\n"},
        {"src/a/__init__.py": "# why\nx = 1\n"},
    ],
    ids=["the study itself", "for git", "document", "comment"],
)
def test_what_nothing_runs_is_no_difference(tmp_path: Path, more: dict[str, str]) -> None:
    head = build(tmp_path / "head", FILES | more)
    found = same_builds(build(tmp_path / "base", FILES), head)
    assert (found.same, found.reasons) == (True, ())


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"src/a/__init__.py": "x = 2\n"}, "the file a/__init__.py differs"),
        ({"src/data.toml": "a = 1\n"}, "the file data.toml is only in head"),
    ],
)
def test_what_could_run_is_named(tmp_path: Path, more: dict[str, str], reason: str) -> None:
    head = build(tmp_path / "head", FILES | more)
    found = same_builds(build(tmp_path / "base", FILES), head)
    assert (found.same, found.reasons) == (False, (reason,))
