"""``include``: what several studies have in common."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from whyfast.model.errors import StudyError
from whyfast.study.load import load_study

OWN = """\
include = "common.toml"

[study]
title = "Another title"

[variant.taildup]
about = "another line"

[variant.base]
cflags = ["-O3"]

[variant.more]
extends = "clang19-goto"

[benchmarks.second]
command = ["{program}"]
"""


@pytest.fixture
def including(valid: str, write: Callable[[str], Path]) -> Callable[[str], Path]:
    """Writes a study beside ``common.toml``, which is the valid study."""

    def both(text: str) -> Path:
        file = write(text)
        folder = file if file.is_dir() else file.parent
        (folder / "common.toml").write_text(valid)
        return file

    return both


def test_tables_are_merged_and_values_replaced(including: Callable[[str], Path]) -> None:
    study = load_study(including(OWN))
    assert study.title == "Another title"
    assert study.baselines == ("clang18-goto",)
    assert [v.name for v in study.variants][-2:] == ["taildup", "more"]
    assert study.variant("taildup").about == "another line"
    assert study.variant("taildup").cflags == ("-O3", "-DGOTO", "-DX")
    assert [b.name for b in study.benchmarks] == ["collatz", "second"]
    assert study.measure.budget == 180.0


def test_a_file_may_include_one_that_includes(including: Callable[[str], Path]) -> None:
    file = including(OWN)
    folder = file if file.is_dir() else file.parent
    (folder / "common.toml").rename(folder / "far.toml")
    (folder / "common.toml").write_text('include = "far.toml"\n[measure]\nbudget = "7s"\n')
    study = load_study(file)
    assert (study.title, study.measure.budget, study.measure.turns) == ("Another title", 7.0, 40)


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ('include = "none.toml"\n', "study.toml:1: include: "),
        ('include = "study.toml"\n', 'study.toml:1: include: "study.toml" includes itself'),
        ("include = 3\n", "study.toml:1: include: must be a string, not a number"),
        (f'{OWN}[measure]\nbudget = "x"\n', "study.toml:18: measure.budget: "),
        (f"{OWN}[variant.wrong]\ncflag = []\n", "study.toml:18: variant.wrong.cflag: unknown key"),
    ],
)
def test_mistakes_of_its_own(including: Callable[[str], Path], text: str, mistake: str) -> None:
    with pytest.raises(StudyError) as raised:
        load_study(including(text))
    assert mistake in str(raised.value)


def test_a_file_that_is_not_there(including: Callable[[str], Path]) -> None:
    with pytest.raises(StudyError, match=r'"none.toml" cannot be read: No such file or directory'):
        load_study(including('include = "none.toml"\n'))


def test_a_mistake_in_the_included_file_is_found_there(
    valid: str, including: Callable[[str], Path]
) -> None:
    file = including(OWN)
    folder = file if file.is_dir() else file.parent
    (folder / "common.toml").write_text(valid.replace('stop = "decided"', 'stop = "never"'))
    with pytest.raises(StudyError) as raised:
        load_study(file)
    line = valid.splitlines().index('stop = "decided"') + 1
    assert f"common.toml:{line}: measure.stop: must be one of" in str(raised.value)


def _refused(write: Callable[[str], Path], valid: str, included: Path) -> str:
    with pytest.raises(StudyError) as caught:
        load_study(write(f'include = "{included}"\n{valid}'))
    return str(caught.value)


def test_what_never_ends_is_not_included(write: Callable[[str], Path], valid: str) -> None:
    assert '"/dev/zero" is not a file' in _refused(write, valid, Path("/dev/zero"))


def test_a_pipe_is_not_waited_for(write: Callable[[str], Path], valid: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    assert "is not a file; relative to" in _refused(write, valid, pipe)


def test_a_file_larger_than_any_study_is_not_read(
    write: Callable[[str], Path], valid: str, tmp_path: Path
) -> None:
    large = tmp_path / "large.toml"
    with large.open("wb") as file:
        file.truncate(4_000_001)
    said = "has more than 4 MB; relative to"
    assert said in _refused(write, valid, large)
