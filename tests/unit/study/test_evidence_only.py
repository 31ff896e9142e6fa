"""Variants that are read and not measured, and how they are built."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from whyfast.model.errors import StudyError
from whyfast.model.study import EvidenceBuild
from whyfast.study.load import load_study

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


def test_it_is_inherited_and_can_be_taken_back(valid: str, write: Callable[[str], Path]) -> None:
    study = load_study(write(valid + READ))
    assert [v.name for v in study.variants if v.evidence_only] == ["read", "read-too"]
    assert [v.name for v in study.measured][-2:] == ["taildup", "timed"]


def test_how_they_are_built(valid: str, write: Callable[[str], Path]) -> None:
    study = load_study(write(valid + SHORT))
    assert study.build.evidence == EvidenceBuild(
        ("{cc} {cflags} -c {source}/vm.c",), "vm.o", ("make",), 20.0, 1_500_000
    )
    assert load_study(write(valid)).build.evidence is None


def test_a_whole_study_that_measures_nothing_needs_no_benchmark(
    valid: str, write: Callable[[str], Path]
) -> None:
    start, end = valid.index("[benchmarks.collatz]"), valid.index("[measure]")
    text = (valid[:start] + valid[end:]).replace("[study]\n", "[study]\nevidence_only = true\n")
    study = load_study(write(text))
    assert study.measured == ()
    assert study.benchmarks == ()
    with pytest.raises(StudyError, match="a study needs a benchmark"):
        load_study(write(valid[:start] + valid[end:]))


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
def test_mistakes(
    valid: str, write: Callable[[str], Path], old: str, new: str, mistake: str
) -> None:
    with pytest.raises(StudyError) as raised:
        load_study(write((valid + READ).replace(old, new)))
    assert mistake in str(raised.value)


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
def test_mistakes_in_how(
    valid: str, write: Callable[[str], Path], old: str, new: str, mistake: str
) -> None:
    with pytest.raises(StudyError) as raised:
        load_study(write(valid + SHORT.replace(old, new)))
    assert mistake in str(raised.value)
