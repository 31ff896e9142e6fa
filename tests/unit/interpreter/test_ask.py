"""What an interpreter says about itself."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from whyfast.interpreter.provider import ask


def test_modules_of_the_current_folder_are_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be an untrusted checkout."""
    for name in ("json", "platform", "sysconfig"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w').close(); raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    assert ask([sys.executable]).version == ".".join(map(str, sys.version_info[:3]))
    assert not (tmp_path / "ran").exists()
