"""What was installed is deleted wholly, or is at least not taken for installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from whyfast.toolchain import removal
from whyfast.toolchain.removal import discard


def _root(folder: Path) -> Path:
    (folder / "root" / "usr").mkdir(parents=True)
    (folder / "digest").write_text("d1\n")
    return folder


def test_nothing_is_left(tmp_path: Path) -> None:
    root = _root(tmp_path / "root-1")
    (root / "root" / "usr").chmod(0o555)
    discard(root)
    assert list(tmp_path.iterdir()) == []
    discard(root)  # it is not there


def test_interrupted_it_has_lost_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = _root(tmp_path / "root-1")

    def interrupted(folder: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(removal, "delete_root", interrupted)
    with pytest.raises(KeyboardInterrupt):
        discard(root)
    (remains,) = tmp_path.iterdir()
    assert remains.name.startswith("root-1-unfinished-")
