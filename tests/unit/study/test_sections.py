"""Source, build and measure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.model.study import Source
from whyfast.study import find as bundled
from whyfast.study.load import load_study


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
