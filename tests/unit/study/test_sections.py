"""Source, build and measure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.model.study import Source
from whyfast.study import find as bundled
from whyfast.study import load_study

CASES = {
    "source empty": (
        'path = "src"\n',
        "",
        'study.toml:7: source.path: is missing; write subject = "NAME" or path = "FOLDER"',
    ),
    "source both": (
        'path = "src"',
        'path = "src"\nsubject = "x"',
        "study.toml:8: source.path: a study has one source; "
        "give one of subject, path, debian, tarball, git",
    ),
    "source gone": (
        'path = "src"',
        'path = "srcs"',
        'study.toml:8: source.path: "srcs" does not exist; relative to DEMO',
    ),
    "source file": (
        'path = "src"',
        'path = "study.toml"',
        'study.toml:8: source.path: "study.toml" is not a folder; relative to DEMO',
    ),
    "no steps": (
        'steps = ["{cc} {cflags} -o {program} {source}/*.c {ldflags}"]\n',
        "",
        'study.toml:10: build.steps: is missing; write steps = ["make -j{jobs}"]',
    ),
    "incremental": (
        'program = "vm"',
        'program = "vm"\nincremental = "yes"',
        "study.toml:13: build.incremental: must be true or false, not a string",
    ),
    "steps empty": (
        'steps = ["{cc} {cflags} -o {program} {source}/*.c {ldflags}"]\n',
        "steps = []\n",
        'study.toml:11: build.steps: is empty; write steps = ["make -j{jobs}"]',
    ),
    "flags without quotes": (
        'steps = ["{cc} {cflags} -o {program} {source}/*.c {ldflags}"]',
        'steps = ["make CC={cc} CFLAGS={cflags}"]',
        "study.toml:11: build.steps[0]: CFLAGS={cflags} is one word to the shell only while there "
        "is a single flag; write CFLAGS=\"{cflags}\", and the step in '…'",
    ),
    "no program": (
        'program = "vm"\n',
        "",
        (
            'study.toml:10: build.program: is missing; write program = "NAME", the file '
            "that the steps make"
        ),
    ),
    "program absolute": (
        'program = "vm"',
        'program = "/usr/bin/vm"',
        (
            'study.toml:12: build.program: "/usr/bin/vm" is not a path inside the build '
            'folder; write it as in "bin/name"'
        ),
    ),
    "program outside": (
        'program = "vm"',
        'program = "../vm"',
        (
            'study.toml:12: build.program: "../vm" is not a path inside the build folder; '
            'write it as in "bin/name"'
        ),
    ),
    "step placeholder": (
        "{cflags} -o",
        "{cflag} -o",
        (
            'study.toml:11: build.steps[0]: no placeholder "{cflag}"; did you mean '
            '"{cflags}"? (write {{ or }} for a literal brace)'
        ),
    ),
    "step unlike": (
        "{cflags} -o",
        "${HOME} -o",
        (
            'study.toml:11: build.steps[0]: no placeholder "{HOME}"; valid: {cc}, '
            "{cflags}, {ldflags}, {configure}, {source}, {include}, {jobs}, {program}, {python}, "
            "{python_cflags} (write {{ or }} for a literal brace)"
        ),
    ),
    "step stray": (
        "{cflags} -o",
        "{cflags -o",
        (
            'study.toml:11: build.steps[0]: stray "{" in "{cc} {cflags -o {program} '
            '{source}/*.c {ldflags}"; write {{ or }} for a literal brace'
        ),
    ),
    "step end": (
        '{ldflags}"]',
        '{ldflags} }"]',
        (
            'study.toml:11: build.steps[0]: stray "}" in "{cc} {cflags} -o {program} '
            '{source}/*.c {ldflags} }"; write {{ or }} for a literal brace'
        ),
    ),
    "turns type": (
        "turns = 40",
        'turns = "40"',
        "study.toml:55: measure.turns: must be a whole number, not a string",
    ),
    "turns bool": (
        "turns = 40",
        "turns = true",
        "study.toml:55: measure.turns: must be a whole number, not true",
    ),
    "turns zero": (
        "turns = 40",
        "turns = 0",
        "study.toml:55: measure.turns: must be at least 1, not 0",
    ),
    # docs/study.md: "whole number from 12".
    "layouts that decide nothing": (
        "turns = 40",
        "layouts = 11",
        "study.toml:55: measure.layouts: must be at least 12, not 11",
    ),
    "stop": (
        'stop = "decided"',
        'stop = "decide"',
        (
            'study.toml:53: measure.stop: must be one of decided, budget, not "decide"; '
            'did you mean "decided"?'
        ),
    ),
    "turn bad": (
        'turn = "1ms"',
        'turn = "1msec"',
        (
            'study.toml:54: measure.turn: "1msec" is not a duration: "msec" is not a unit; '
            'write turn = "1ms" or "500us"'
        ),
    ),
    'budget "3 minutes"': (
        'budget = "3m"',
        'budget = "3 minutes"',
        (
            'study.toml:52: measure.budget: "3 minutes" is not a duration: "minutes" is '
            'not a unit; write budget = "3m" or "90s"'
        ),
    ),
    'budget "3"': (
        'budget = "3m"',
        'budget = "3"',
        ('study.toml:52: measure.budget: "3" is not a duration; write budget = "3m" or "90s"'),
    ),
    'budget "1w"': (
        'budget = "3m"',
        'budget = "1w"',
        (
            'study.toml:52: measure.budget: "1w" is not a duration: "w" is not a unit; '
            'write budget = "3m" or "90s"'
        ),
    ),
    'budget ""': (
        'budget = "3m"',
        'budget = ""',
        ('study.toml:52: measure.budget: "" is not a duration; write budget = "3m" or "90s"'),
    ),
    "budget 0": (
        'budget = "3m"',
        "budget = 0",
        (
            "study.toml:52: measure.budget: must be longer than nothing, and finite; write "
            'budget = "3m" or "90s"'
        ),
    ),
    "budget -1": (
        'budget = "3m"',
        "budget = -1",
        (
            "study.toml:52: measure.budget: must be longer than nothing, and finite; write "
            'budget = "3m" or "90s"'
        ),
    ),
    "budget inf": (
        'budget = "3m"',
        "budget = inf",
        (
            "study.toml:52: measure.budget: must be longer than nothing, and finite; write "
            'budget = "3m" or "90s"'
        ),
    ),
    "budget false": (
        'budget = "3m"',
        "budget = false",
        (
            "study.toml:52: measure.budget: must be a duration, not false; write budget = "
            '"3m" or "90s"'
        ),
    ),
    'budget "0s"': (
        'budget = "3m"',
        'budget = "0s"',
        (
            "study.toml:52: measure.budget: must be longer than nothing, and finite; write "
            'budget = "3m" or "90s"'
        ),
    ),
}


@pytest.mark.parametrize(("old", "new", "expected"), CASES.values(), ids=CASES.keys())
def test_mistake(
    old: str, new: str, expected: str, valid: str, message: Callable[[str], str]
) -> None:
    assert valid.count(old) == 1
    assert message(valid.replace(old, new)) == expected


def test_absolute_source(tmp_path: Path, valid: str, write: Callable[[str], Path]) -> None:
    (tmp_path / "else where").mkdir()
    text = valid.replace('path = "src"', f'path = "{tmp_path}/x/../else where"')
    source = load_study(write(text)).source
    assert (source.kind, source.folder) == ("path", tmp_path / "else where")


def test_subject(
    tmp_path: Path,
    valid: str,
    write: Callable[[str], Path],
    message: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
    golden: Hear,
) -> None:
    (tmp_path / "subjects/ebpf-vm").mkdir(parents=True)
    monkeypatch.setattr(bundled, "_find", lambda kind: tmp_path / kind)
    source = load_study(write(valid.replace('path = "src"', 'subject = "ebpf-vm"'))).source
    assert source == Source("subject", "ebpf-vm", tmp_path / "subjects/ebpf-vm")
    golden(message(valid.replace('path = "src"', 'subject = "ebpf_vm"')))


def test_endless_path(valid: str, message: Callable[[str], str]) -> None:
    said = message(valid.replace('path = "src"', f'path = "{"x" * 5000}"'))
    assert said.startswith('study.toml:8: source.path: "xxx')
    # From Python 3.14 on there is no such file, without a reason.
    assert said.endswith(("File name too long", "does not exist; relative to DEMO"))


def test_incremental_is_said_by_the_study(valid: str, write: Callable[[str], Path]) -> None:
    assert not load_study(write(valid)).build.incremental
    said = valid.replace('program = "vm"', 'program = "vm"\nincremental = true')
    assert load_study(write(said)).build.incremental
