"""What WHERE means."""

import os
import sys
from pathlib import Path

import pytest
from tests.golden_files import Hear, refusal

from whyfast.model.errors import UserError
from whyfast.study import load as bundled
from whyfast.study.load import find_study


@pytest.fixture(autouse=True)
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two bundled studies, and an empty current folder."""
    for name in ("tail-call", "placement"):
        (tmp_path / "bundle/studies" / name).mkdir(parents=True)
        (tmp_path / "bundle/studies" / name / "study.toml").write_text("")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(bundled, "_find", lambda kind: tmp_path / "bundle" / kind)
    return tmp_path / "bundle/studies"


def test_folder_and_file() -> None:
    Path("mine").mkdir()
    Path("mine/study.toml").write_text("")
    assert find_study("mine") == Path("mine/study.toml")
    assert find_study(Path("mine/study.toml")) == Path("mine/study.toml")


def test_bundled(bundle: Path) -> None:
    assert find_study("tail-call") == bundle / "tail-call/study.toml"


def test_own_folder_goes_before_bundled_only_with_a_study(bundle: Path) -> None:
    Path("tail-call").mkdir()
    assert find_study("tail-call") == bundle / "tail-call/study.toml"
    Path("tail-call/study.toml").write_text("")
    assert find_study("tail-call") == Path("tail-call/study.toml")


#: From Python 3.14 on there is no such file, without a reason.
TOO_LONG = (
    f'no study "{"x" * 59}…": no such file or folder, nor a bundled study; '
    "valid: placement, tail-call"
    if sys.version_info >= (3, 14)
    else "x" * 5000 + ": cannot be read: File name too long"
)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (
            "tailcall",
            'no study "tailcall": no such file or folder, nor a bundled study; '
            'did you mean "tail-call"?',
        ),
        (
            "xyz/study.toml",
            'no study "xyz/study.toml": no such file or folder, nor a bundled study; '
            "valid: placement, tail-call",
        ),
        (
            "",
            'no study "": no such file or folder, nor a bundled study; valid: placement, tail-call',
        ),
        ("empty", "empty: this folder has no study.toml"),
        ("pipe", "pipe: neither a folder nor a regular file"),
        ("x" * 5000, TOO_LONG),
    ],
    ids=["near", "far", "nothing", "folder", "pipe", "long"],
)
def test_not_found(where: str, said: str) -> None:
    Path("empty").mkdir()
    os.mkfifo("pipe")
    assert refusal(UserError, lambda: find_study(where)) == said


def test_nothing_bundled(monkeypatch: pytest.MonkeyPatch, golden: Hear) -> None:
    monkeypatch.setattr(bundled, "_find", lambda kind: None)
    golden(refusal(UserError, lambda: find_study("x")))


def test_nul_in_the_name() -> None:
    with pytest.raises(UserError):
        find_study("a\0b")
