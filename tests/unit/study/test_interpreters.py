"""Variants with an interpreter of their own, and benchmarks by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.model.variant import differences
from whyfast.study.load import load_study

STUDY = """\
[study]
title = "Which is the fastest?"
baseline = "py-3.9"

[source]
path = "src"

[build]
steps = ["{cc} {python_cflags} -o {program} {source}/x.c"]
program = "x.so"

[variant.base]
abstract = true
toolchain = "path:gcc"

[axes]
extends = "base"
name = "py-{python}"

[axes.python."3.9"]
python = "pyenv:3.9"

[axes.python.py]
python = ["path:python3", "pyenv:3.1*"]

[benchmarks.calls]
command = ["{python}", "{program}", "{name}"]
figures = ["{python}", "{program}", "--figures", "{name}"]
names = ["func-0", "getattr"]
"""


@pytest.fixture
def _versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    for version in ("3.9.18", "3.10.13", "3.13.0", "3.2.1"):
        place = tmp_path / "pyenv" / "versions" / version / "bin"
        place.mkdir(parents=True)
        (place / "python").touch()


@pytest.mark.usefixtures("_versions")
def test_a_list_and_a_pattern_make_a_value_of_each(write: Callable[[str], Path]) -> None:
    study = load_study(write(STUDY))
    assert [(v.name, v.python) for v in study.variants] == [
        ("py-3.9", "pyenv:3.9"),
        ("py-py-python3", "path:python3"),
        ("py-py-3.10.13", "pyenv:3.10.13"),
        ("py-py-3.13.0", "pyenv:3.13.0"),
    ]
    first, second = study.variants[:2]
    (only,) = differences(first, second)
    assert (only.aspect, only.removed, only.added) == ("python", ("pyenv:3.9",), ("path:python3",))
    assert only.changes_source


@pytest.mark.usefixtures("_versions")
def test_a_benchmark_of_each_name(write: Callable[[str], Path]) -> None:
    first, second = load_study(write(STUDY)).benchmarks
    assert (first.name, first.command) == ("func-0", ("{python}", "{program}", "func-0"))
    assert first.figures == ("{python}", "{program}", "--figures", "func-0")
    assert (second.name, second.command[-1]) == ("getattr", "getattr")
    assert second.family_name == "getattr"


MISTAKES = {
    "no provider": ('"pyenv:3.9"', '"3.9"'),
    "nothing here": ('"pyenv:3.1*"', '"pyenv:4.*"'),
    "a pattern of roots": ('"pyenv:3.1*"', '"debian:python3.*@sid"'),
    "none": ('python = "pyenv:3.9"', 'about = "none"'),
    "twice": ('"getattr"]', '"func-0"]'),
    "unused": ('"{program}", "{name}"', '"{program}"'),
    "no names": ('names = ["func-0", "getattr"]', 'timeout = "5s"'),
    "both": (
        'names = ["func-0", "getattr"]',
        'names = ["func-0"]\nparameter = { name = "call", values = [1, 2] }',
    ),
}


@pytest.mark.usefixtures("_versions")
def test_mistakes(message: Callable[[str], str], golden: Hear) -> None:
    for name, (old, new) in MISTAKES.items():
        assert STUDY.count(old) == 1, name
        golden(f"{name}: {message(STUDY.replace(old, new))}")
