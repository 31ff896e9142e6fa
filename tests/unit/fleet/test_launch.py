"""A scheduler here and workers on hosts."""

from __future__ import annotations

from pathlib import Path

import pytest

from whyfast.fleet.launch import HostsFile, Launched
from whyfast.model.errors import UserError


def test_a_whyfast_of_the_current_folder_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be an untrusted checkout."""
    pytest.importorskip("distributed")
    (tmp_path / "whyfast.py").write_text("open('ran', 'w').close()")
    monkeypatch.chdir(tmp_path)
    fleet = Launched(HostsFile("no address", None, ()))
    with pytest.raises(UserError, match="no address"):
        fleet.start(lambda text: None)
    fleet.end()
    assert not (tmp_path / "ran").exists()
