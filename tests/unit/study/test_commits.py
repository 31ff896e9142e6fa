"""An axis of the commits of a range."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from whyfast.study.load import load_study

STUDY = """
[study]
title = "Since when?"
baseline = { commit = "v1" }
[source]
git = "src"
revision = "HEAD"
[build]
steps = ["make"]
program = "vm"
[axes.commit]
revisions = "v1..HEAD"
[axes.opt.O2]
toolchain = "path:gcc"
[benchmarks.one]
command = ["{program}"]
"""


def _git(folder: Path, *arguments: str) -> str:
    who = {f"GIT_{a}_{b}": "t" for a in ("AUTHOR", "COMMITTER") for b in ("NAME", "EMAIL")}
    return subprocess.run(
        ["git", "-C", str(folder), *arguments],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **who},
    ).stdout.strip()


@pytest.fixture
def history(write: Callable[[str], Path]) -> Path:
    """v1, then two commits, of which the last is HEAD."""
    source = write("").parent / "src"
    _git(source, "init", "-q")
    for i, subject in enumerate(("first", "v1 it is", "faster: a\ttab", "slower")):
        (source / "vm.c").write_text(str(i))
        _git(source, "add", ".")
        _git(source, "commit", "-q", "-m", subject)
        if i == 1:
            _git(source, "tag", "v1")
    return source


def test_a_value_a_commit_the_base_first(history: Path, write: Callable[[str], Path]) -> None:
    study = load_study(write(STUDY))
    middle = _git(history, "rev-parse", "--short", "HEAD~1")
    assert [v.name for v in study.variants] == ["v1-O2", f"{middle}-O2", "HEAD-O2"]
    assert [v.about for v in study.variants] == ["v1 it is", "faster: a tab", "slower"]
    assert [v.revision for v in study.variants] == [
        _git(history, "rev-parse", r) for r in ("v1", "HEAD~1", "HEAD")
    ]
    assert study.baselines == ("v1-O2",)


def test_ends_that_are_no_names(history: Path, write: Callable[[str], Path]) -> None:
    study = load_study(write(STUDY.replace("v1..HEAD", "HEAD~1..HEAD^0").replace('"v1"', '"base"')))
    assert [v.axes["commit"] for v in study.variants] == ["base", "head"]


CASES = {
    "no range": ('"v1..HEAD"', '"v1"', '"v1" is not BASE..HEAD; write revisions = "v1.0..main"'),
    "an option": (
        '"v1..HEAD"',
        '"--all..HEAD"',
        '"--all..HEAD" is not BASE..HEAD; write revisions = "v1.0..main"',
    ),
    "unknown": ('"v1..HEAD"', '"v9..HEAD"', "bad revision 'v9'; name two revisions"),
    "empty": (
        '"v1..HEAD"',
        '"HEAD..v1"',
        'no commits in "HEAD..v1"; write revisions = "v1.0..main"',
    ),
    "an address": (
        'git = "src"',
        'git = "https://example.org/x"',
        "needs a repository on this machine; clone it, and name the folder in [source] git",
    ),
    "another source": (
        'git = "src"\nrevision = "HEAD"',
        'path = "src"',
        "needs a source from git; write [source] git = … and revision = …",
    ),
}


@pytest.mark.parametrize(("old", "new", "expected"), CASES.values(), ids=CASES.keys())
def test_mistake(
    history: Path, old: str, new: str, expected: str, message: Callable[[str], str]
) -> None:
    assert STUDY.count(old) == 1
    said = message(STUDY.replace(old, new))
    assert said.endswith(f": axes.commit.revisions: {expected}")
