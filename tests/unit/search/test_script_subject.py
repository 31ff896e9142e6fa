"""Commands in checkouts of commits."""

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from tests.studies.commit_study import Repository

from whyfast.investigate.services import Services
from whyfast.search.axes.ranges import commits
from whyfast.search.subject import CandidateFailed, ScriptSubject, UserCommand

NUMBERS = ("7", "steps: 1,250", "none", "0")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    made = Repository(tmp_path / "repository")
    for number, text in enumerate(NUMBERS):
        (made.folder / "said").write_text(text)
        made.commit(f"change {number}")
    return made.folder


def _subject(repository: Path, tmp_path: Path, *command: str, build: str = "") -> ScriptSubject:
    found = commits(repository, "main~3", "main")
    folder = tmp_path / "checkouts"
    asked = UserCommand(command, build, repository, prints_number=True)
    return ScriptSubject(asked, found, folder, Services(), 1)


def test_the_last_number_counts(repository: Path, tmp_path: Path) -> None:
    subject = _subject(repository, tmp_path, "cat", "said")
    (times,) = subject.block([0, 1], number=1, layouts=None)
    assert {c: t.tolist() for c, t in times.items()} == {0: [7.0], 1: [1250.0]}


def test_what_is_half_deleted_is_not_taken_for_whole(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed while it deletes: at any of the folders, with some of their files gone."""
    for at in range(3):
        subject = _subject(repository, tmp_path, "cat", "said")
        subject.block([0, 1], number=1, layouts=None)
        deleted = iter(range(9))

        def deletes(
            folder: Path, at: int = at, deleted: Iterator[int] = deleted, **how: Any
        ) -> None:
            if folder.is_dir() and next(deleted) == at:
                for file in [*folder.rglob("said"), *folder.rglob("alternates")]:
                    file.unlink()
                raise KeyboardInterrupt
            rmtree(folder, **how)

        with monkeypatch.context() as patch:
            patch.setattr("shutil.rmtree", deletes)
            with pytest.raises(KeyboardInterrupt):
                subject.close()
        again = _subject(repository, tmp_path, "cat", "said")
        (times,) = again.block([0, 1], number=1, layouts=None)
        assert {c: t.tolist() for c, t in times.items()} == {0: [7.0], 1: [1250.0]}


def test_a_checkout_that_was_interrupted_is_made_anew(repository: Path, tmp_path: Path) -> None:
    _subject(repository, tmp_path, "cat", "said").build(0)
    again = _subject(repository, tmp_path, "cat", "said")
    place = again.place(0)
    place.with_suffix(".built").unlink()
    (place / "said").unlink()
    # As git leaves one that it has not finished.
    subprocess.run(["git", "-C", place, "worktree", "lock", place], check=True)
    (times,) = again.block([0], number=1, layouts=None)
    assert times[0].tolist() == [7.0]


@pytest.mark.parametrize(("candidate", "last"), [(2, "'none'"), (3, "'0'")])
def test_what_prints_no_number_above_0_failed(
    repository: Path, tmp_path: Path, candidate: int, last: str
) -> None:
    with pytest.raises(CandidateFailed) as caught:
        _subject(repository, tmp_path, "cat", "said").block([candidate], number=1, layouts=None)
    assert caught.value.candidate == candidate
    assert last in caught.value.reason


@pytest.mark.parametrize(
    ("line", "runs"),
    [
        ("echo 1$(wc -c < said)0000", {0: 3, 1: 1, 3: 3}),  # a count
        ("echo 1$(wc -c < said)0", {0: 5, 1: 3, 3: 5}),  # as small as a time in milliseconds
        ("echo 1$(wc -l < {log})0000", {0: 5, 1: 3, 3: 5}),  # it varies
    ],
)
def test_a_count_that_does_not_vary_is_taken_once(
    repository: Path, tmp_path: Path, line: str, runs: dict[int, int]
) -> None:
    log = tmp_path / "log"
    said = f"basename $PWD >> {log}; {line.format(log=log)}"
    subject = _subject(repository, tmp_path, "sh", "-c", said)
    for number in range(2):
        subject.block([0, 3], number=number, layouts=None)
    for number in range(3):
        (times,) = subject.block([0, 1, 3], number=number, layouts=None)
    ran = log.read_text().split()
    assert {c: ran.count(subject.place(c).name) for c in runs} == runs
    assert set(times) == {0, 1, 3}


def test_what_was_built_is_not_built_again(repository: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    for _ in range(2):
        _subject(repository, tmp_path, "cat", "said", build=f"echo built >> {log}").build(0)
    assert log.read_text() == "built\n"


@pytest.mark.parametrize(
    ("command", "number", "reason"),
    [
        (("./nothing",), False, "exit code 127: env: .*nothing.*: No such file or directory"),
        (("sh", "-c", "echo broken >&2; exit 3"), False, "exit code 3: broken"),
        (("sh", "-c", "echo broken >&2; exit 3"), True, "exit code 3: broken"),
    ],
)
def test_a_command_that_fails_says_why(
    repository: Path, tmp_path: Path, command: tuple[str, ...], number: bool, reason: str
) -> None:
    subject = _subject(repository, tmp_path, *command)
    subject.command = replace(subject.command, prints_number=number)
    with pytest.raises(CandidateFailed, match=reason):
        subject.block([0, 1], number=1, layouts=None)


def test_a_build_that_fails_says_why(repository: Path, tmp_path: Path) -> None:
    subject = _subject(repository, tmp_path, "cat", "said", build="cat ./nothing")
    with pytest.raises(CandidateFailed, match=r"cat: \./nothing: No.*exit code 1"):
        subject.build(0)


def test_no_checkout_is_left_but_logs_where_named(repository: Path, tmp_path: Path) -> None:
    subject = _subject(repository, tmp_path, "cat", "said", build="echo built")
    subject.build(0)
    assert subject.place(0).is_dir()
    subject.close(logs=True)
    (log,) = (tmp_path / "checkouts").iterdir()
    assert log.read_text() == "built\n"
    subject.close()
    assert not log.exists()
    said = subprocess.run(
        ["git", "-C", repository, "worktree", "list"], capture_output=True, text=True, check=True
    )
    assert len(said.stdout.splitlines()) == 1


def test_a_checkout_knows_its_tags_and_runs_no_hook(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even one that the user configured for every repository."""
    hook = tmp_path / "hooks/post-checkout"
    hook.parent.mkdir()
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    config = tmp_path / "config"
    config.write_text(f"[core]\n\thooksPath = {hook.parent}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    subprocess.run(["git", "-C", repository, "tag", "v12", "main~3"], check=True)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "another"))
    subject = _subject(repository, tmp_path, "sh", "-c", "git describe --tags | tr -d v")
    (times,) = subject.block([0], number=1, layouts=None)
    assert times[0].tolist() == [12.0]
    assert not (tmp_path / "ran").exists()
    subject.close()
    assert not (tmp_path / "checkouts").exists()
