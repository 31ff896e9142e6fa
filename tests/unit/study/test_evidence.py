"""``[evidence]``, and variants that are built for it alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.study.conftest import Message, Write

from whyfast.model.study import EvidenceBuild, EvidenceSpec
from whyfast.study.load import load_study


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
    evidence = _evidence(write(_with(valid, lines)))
    assert (evidence.counters, evidence.events) == (counters, events)


def test_a_change_needs_counting(write: Write, git: str) -> None:
    evidence = _evidence(write(_with(git, 'change = "v1..v2"')))
    assert (evidence.change, evidence.counters) == ("v1..v2", "hardware or simulation")


@pytest.mark.parametrize(
    ("lines", "mistake"),
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
def test_mistakes(message: Message, git: str, lines: str, mistake: str) -> None:
    assert mistake in message(_with(git, lines))


def test_a_revision_is_inherited_and_replaced(write: Write, git: str) -> None:
    text = git.replace("abstract = true\n", 'abstract = true\nrevision = "v2"\n', 1)
    text = text.replace('about = "one line"', 'about = "one line"\nrevision = "v3"')
    study = load_study(write(text))
    revisions = {v.name: v.revision for v in study.variants}
    assert revisions["taildup"] == "v3"
    assert set(revisions.values()) == {"v2", "v3"}


@pytest.mark.parametrize(
    ("revision", "of_git", "mistake"),
    [
        ("v2", False, "variant.base.revision: needs a source from git"),
        ("--all", True, 'variant.base.revision: "--all" begins with a dash'),
    ],
)
def test_revisions_that_cannot_be(
    message: Message, valid: str, git: str, revision: str, of_git: bool, mistake: str
) -> None:
    text = git if of_git else valid
    base = f'abstract = true\nrevision = "{revision}"'
    assert mistake in message(text.replace("abstract = true", base, 1))


def test_a_change_needs_a_source_from_git(message: Message, valid: str) -> None:
    mistake = "evidence.change: needs a source from git"
    assert mistake in message(_with(valid, 'change = "v1..v2"'))


SHORT = """
[build.evidence]
steps = ["{cc} {cflags} -c {source}/vm.c"]
object = "vm.o"
packages = ["make"]
takes = "20s"
room = "1.5MB"
"""
READ = """
[variant.read]
extends = "clang19-goto"
evidence_only = true

[variant.read-too]
extends = "read"

[variant.timed]
extends = "read"
evidence_only = false
"""


def test_it_is_inherited_and_can_be_taken_back(valid: str, write: Write) -> None:
    study = load_study(write(valid + READ))
    assert [v.name for v in study.variants if v.evidence_only] == ["read", "read-too"]
    assert [v.name for v in study.measured][-2:] == ["taildup", "timed"]


def test_how_they_are_built(valid: str, write: Write) -> None:
    study = load_study(write(valid + SHORT))
    assert study.build.evidence == EvidenceBuild(
        ("{cc} {cflags} -c {source}/vm.c",), "vm.o", ("make",), 20.0, 1_500_000
    )
    assert load_study(write(valid)).build.evidence is None


def test_a_whole_study_that_measures_nothing_needs_no_benchmark(
    valid: str, write: Write, message: Message
) -> None:
    start, end = valid.index("[benchmarks.collatz]"), valid.index("[measure]")
    text = (valid[:start] + valid[end:]).replace("[study]\n", "[study]\nevidence_only = true\n")
    study = load_study(write(text))
    assert study.measured == ()
    assert study.benchmarks == ()
    assert "a study needs a benchmark" in message(valid[:start] + valid[end:])


@pytest.mark.parametrize(
    ("old", "new", "mistake"),
    [
        (
            'baseline = ["clang18-goto"]',
            'baseline = ["clang18-goto", "read"]',
            'study.toml:3: study.baseline[1]: "read" is evidence_only, so it is never',
        ),
        (
            'variant = "clang19-tail"',
            'variant = "read-too"',
            'study.toml:5: study.claim.variant: "read-too" is evidence_only',
        ),
        ("evidence_only = true", 'evidence_only = "yes"', "must be true or false"),
    ],
)
def test_mistakes_of_evidence_only(
    valid: str, message: Message, old: str, new: str, mistake: str
) -> None:
    assert mistake in message((valid + READ).replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "mistake"),
    [
        ('object = "vm.o"\n', "", 'build.evidence.object: is missing; write object = "loop.o"'),
        ('"vm.o"', '"/vm.o"', '"/vm.o" is not a path inside the build folder'),
        ("{cflags} -c", "{cflag} -c", 'no placeholder "{cflag}"'),
        ('"1.5MB"', '"1.5 megs"', '"megs" is not a unit; write room = "480MB" or "1.5GB"'),
        ('"1.5MB"', "15", "build.evidence.room: must be a size, not a number"),
        ('takes = "20s"', 'link = "x"', "build.evidence.link: unknown key"),
    ],
)
def test_mistakes_in_how(valid: str, message: Message, old: str, new: str, mistake: str) -> None:
    assert mistake in message(valid + SHORT.replace(old, new))
