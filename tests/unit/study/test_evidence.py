"""What a study wants counted, and variants of other revisions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from whyfast.model.errors import StudyError
from whyfast.model.study import EvidenceSpec
from whyfast.study.load import load_study

Write = Callable[[str], Path]


@pytest.fixture
def git(valid: str, tmp_path: Path) -> str:
    """The valid study with a source from git; whether there is such a repository is not looked at
    before the source is wanted."""
    (tmp_path / "repository").mkdir()
    source = f'git = "{tmp_path / "repository"}"\nrevision = "v1"'
    return valid.replace('path = "src"', source)


def _with(text: str, lines: str) -> str:
    return text.replace("[evidence]\n", f"[evidence]\n{lines}\n")


def _evidence(folder: Path) -> EvidenceSpec:
    return load_study(folder).evidence


@pytest.mark.parametrize(
    ("lines", "counters", "events"),
    [
        ("", "nothing", ()),
        ("counters = false", "nothing", ()),
        ("counters = true", "hardware or simulation", ()),
        ('counters = "simulated"', "simulation", ()),
        (
            'counters = ["instructions", "indirect branch misses"]',
            "hardware or simulation",
            ("instructions", "indirect branch misses"),
        ),
    ],
)
def test_counters(
    write: Write, valid: str, lines: str, counters: str, events: tuple[str, ...]
) -> None:
    found = _evidence(write(_with(valid, lines)))
    assert (found.counters, found.events) == (counters, events)


def test_a_change_needs_counting(write: Write, git: str) -> None:
    found = _evidence(write(_with(git, 'change = "v1..v2"')))
    assert (found.change, found.counters) == ("v1..v2", "hardware or simulation")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('counters = "hardware"', 'evidence.counters: cannot be "hardware"; write counters = true'),
        ('counters = ["instruction"]', 'no counter "instruction"; did you mean "instructions"?'),
        ("counters = 3", "must be true, false, a string or a list of strings, not a number"),
        ("counters = []", "evidence.counters: is empty"),
        ('counted = ["collatz"]', "evidence.counted: needs counters; write counters = true"),
        ('counters = true\ncounted = ["x"]', 'evidence.counted[0]: no benchmark "x"'),
        ('change = "v1"', 'evidence.change: "v1" is not BASE..HEAD; name two revisions'),
        ('change = "v1...v2"', 'evidence.change: "v1...v2" is not BASE..HEAD'),
    ],
)
def test_mistakes(write: Write, git: str, lines: str, message: str) -> None:
    with pytest.raises(StudyError) as error:
        load_study(write(_with(git, lines)))
    assert message in str(error.value)


def test_a_revision_is_inherited_and_replaced(write: Write, git: str) -> None:
    text = git.replace("abstract = true\n", 'abstract = true\nrevision = "v2"\n', 1)
    text = text.replace('about = "one line"', 'about = "one line"\nrevision = "v3"')
    study = load_study(write(text))
    revisions = {v.name: v.revision for v in study.variants}
    assert revisions["taildup"] == "v3"
    assert set(revisions.values()) == {"v2", "v3"}


@pytest.mark.parametrize(
    ("revision", "of_git", "message"),
    [
        ("v2", False, "variant.base.revision: needs a source from git"),
        ("--all", True, 'variant.base.revision: "--all" begins with a dash'),
    ],
)
def test_revisions_that_cannot_be(
    write: Write, valid: str, git: str, revision: str, of_git: bool, message: str
) -> None:
    text = git if of_git else valid
    with pytest.raises(StudyError) as error:
        load_study(
            write(text.replace("abstract = true", f'abstract = true\nrevision = "{revision}"', 1))
        )
    assert message in str(error.value)


def test_a_change_needs_a_source_from_git(write: Write, valid: str) -> None:
    with pytest.raises(StudyError, match=r"evidence\.change: needs a source from git"):
        load_study(write(_with(valid, 'change = "v1..v2"')))
