"""Programs that are named by their files start where they were built."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from whyfast.investigate import exec_prefixes
from whyfast.investigate.exec_prefixes import file_prefixes
from whyfast.model.errors import UserError
from whyfast.store.home import Home
from whyfast.toolchain.sandbox import Box


@pytest.fixture
def boxes(monkeypatch: pytest.MonkeyPatch) -> list[Box]:
    """What programs were to be entered with."""
    found: list[Box] = []

    def around(box: Box, scratch: Path) -> list[str]:
        found.append(box)
        return ["enter", str(box.root)]

    monkeypatch.setattr(exec_prefixes, "around_program", around)
    return found


def _build(home: Home, digest: str, root: Path | None) -> Path:
    program = home.builds / digest / "work" / "program"
    program.parent.mkdir(parents=True)
    program.touch()
    toolchain = {"name": "debian:gcc-14", **({"root": str(root)} if root else {})}
    provenance = {
        "digest": digest,
        "toolchain": toolchain,
        "program": "program",
        "variant": "v",
        "program_sha256": "abc",
        "inputs": {},
        "source": {},
        "started": 0,
        "seconds": 1,
    }
    (home.builds / digest / "provenance.json").write_text(json.dumps(provenance))
    return program


@pytest.fixture
def own(tmp_path: Path) -> Home:
    return Home(tmp_path / "cache", tmp_path / "data")


def test_a_program_of_a_root_is_entered_and_others_like_it(
    own: Home, tmp_path: Path, boxes: list[Box]
) -> None:
    root = tmp_path / "debian-trixie-gcc-14-01234567" / "root"
    root.mkdir(parents=True)
    (root.parent / "digest").write_text("d")
    rooted, plain = _build(own, "d1", root), _build(own, "d2", None)
    other = tmp_path / "elsewhere"
    assert file_prefixes([plain, other], own, also=Box(start=tmp_path)) == [(), ()]
    assert boxes == []
    also = Box(start=tmp_path, writable=(tmp_path,))
    words = file_prefixes([rooted, other], own, also=also)
    assert words == [("enter", str(root)), ("enter", "None")]
    assert [b.root for b in boxes] == [root, None]
    assert boxes[0].writable == (own.builds / "d1", tmp_path)
    assert all(b.start == tmp_path and b.network for b in boxes)


def test_a_root_that_is_gone_is_said(own: Home, tmp_path: Path) -> None:
    program = _build(own, "d1", tmp_path / "gone" / "root")
    with pytest.raises(UserError, match="toolchain install --from d1"):
        file_prefixes([program], own, also=Box(start=tmp_path))
