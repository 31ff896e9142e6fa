"""What zstd packed, by each of the ways to unpack it; a package that has it inside."""

from __future__ import annotations

import importlib
import io
import shutil
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.fuzz.readers import tar_of
from tests.golden_files import Hear
from tests.unit.explain.objects.test_containers import _names, _package

from whyfast.explain.objects.containers import (
    READERS,
    Damaged,
    NoReader,
    TooLarge,
    taken_out,
    unpack,
)
from whyfast.model.errors import UserError

#: The most that a block of a frame holds.
_BLOCK = 128 * 1024


def frame(data: bytes) -> bytes:
    """One frame of blocks as they are: what any reader must read, made without one."""
    parts = [b"\x28\xb5\x2f\xfd", b"\xa0", len(data).to_bytes(4, "little")]
    starts = range(0, max(len(data), 1), _BLOCK)
    for at in starts:
        block, last = data[at : at + _BLOCK], at + _BLOCK >= len(data)
        parts += [(last | len(block) << 3).to_bytes(3, "little"), block]
    return b"".join(parts)


def unpacked(data: bytes, most: int) -> bytes:
    with tempfile.TemporaryFile() as packed, tempfile.TemporaryFile() as plain:
        packed.write(data)
        packed.seek(0)
        unpack(packed, plain, most)
        plain.seek(0)
        return plain.read()


def _have(name: str) -> bool:
    if name == READERS[-1]:
        return shutil.which(name) is not None
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def _only(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if that were all there is."""
    real = importlib.import_module

    def importing(wanted: str, *more: Any) -> Any:
        if wanted in READERS and wanted != name:
            raise ImportError
        return real(wanted, *more)

    monkeypatch.setattr("whyfast.explain.objects.containers.importlib.import_module", importing)
    if name != READERS[-1]:
        monkeypatch.setattr("whyfast.explain.objects.containers.shutil.which", lambda _: None)


@pytest.mark.parametrize("name", READERS)
def test_every_reader_reads_all_frames(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not _have(name):
        pytest.skip(f"{name} is not here")
    _only(name, monkeypatch)
    data = bytes(range(256)) * 1000
    packed = frame(data) + frame(b"more")
    assert unpacked(packed, len(data) + 4) == data + b"more"
    with pytest.raises(TooLarge):
        unpacked(packed, len(data) + 3)
    with pytest.raises(Damaged):  # a block of a kind that there is not
        unpacked(frame(b"")[:-3] + (1 | 3 << 1 | 8 << 3).to_bytes(3, "little") + b"8" * 8, 10**9)


def test_the_module_of_python_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    own = SimpleNamespace(ZstdFile=lambda packed: io.BytesIO(b"by python"))
    monkeypatch.setitem(sys.modules, "compression.zstd", own)
    monkeypatch.setitem(sys.modules, "compression", SimpleNamespace(zstd=own))
    assert unpacked(b"anything", 100) == b"by python"


def test_without_any_it_says_what_would_do(monkeypatch: pytest.MonkeyPatch) -> None:
    _only("none", monkeypatch)
    with pytest.raises(NoReader):
        unpacked(frame(b"data"), 100)


def test_a_package_with_zstd_inside(
    gcc: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Hear
) -> None:
    if not any(map(_have, READERS)):
        pytest.skip("nothing here reads zstd")
    program = gcc("int work(int a) { return a * 3; } int main(void) { return work(1); }", "-O1")
    data = frame(tar_of({"./usr/bin/p": program.read_bytes()}))
    package = _package(tmp_path / "p.deb", data, "data.tar.zst")
    (tmp_path / "out").mkdir()
    found = taken_out(package, tmp_path / "out")
    assert found.note == "p.deb: usr/bin/p"
    assert "work" in _names(found.path)
    _only("none", monkeypatch)
    with pytest.raises(UserError) as error:
        taken_out(package, tmp_path / "out")
    golden(str(error.value))
