"""Packages from PyPI that are used as files."""

from __future__ import annotations

from pathlib import Path

import pytest

from whyfast.model.errors import CannotBuildHere
from whyfast.toolchain.wheels import Wheel, fetch


def test_a_pip_of_the_current_folder_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be an untrusted checkout."""
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (checkout / "pip.py").write_text("open('ran', 'w').close()")
    monkeypatch.chdir(checkout)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(CannotBuildHere, match="downloading nothing 1 with pip failed: ERROR: No"):
        fetch(Wheel("nothing", "1", ("0" * 64,)), tmp_path / "packages", lambda text: None)
    assert [p.name for p in checkout.iterdir()] == ["pip.py"]
