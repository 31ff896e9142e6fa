"""whyfast studies."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.cli import studies
from whyfast.study import find as bundled


def run() -> int:
    parser = argparse.ArgumentParser()
    studies.add_arguments(parser)
    return studies.run(parser.parse_args([]))


def test_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in (("vm", '[study]\ntitle = "Is it?"'), ("placement", "[")):
        (tmp_path / "studies" / name).mkdir(parents=True)
        (tmp_path / "studies" / name / "study.toml").write_text(text)
    monkeypatch.setattr(bundled, "_find", lambda kind: tmp_path / kind)
    assert run() == 0
    head, _, *rows = capsys.readouterr().out.splitlines()
    assert [head, *rows] == ["study      question", "placement", "vm         Is it?"]


def test_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], golden: Hear
) -> None:
    monkeypatch.setattr(bundled, "_find", lambda kind: None)
    assert run() == 0
    golden(capsys.readouterr().out)
