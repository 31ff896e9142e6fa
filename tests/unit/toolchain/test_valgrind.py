"""Debian's Valgrind is listed and removed like a compiler."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.cli.main import main
from whyfast.model.errors import UserError
from whyfast.store.home import Home, home
from whyfast.toolchain.valgrind import remove_valgrind, valgrind_root, valgrind_size


def _install(place: Home) -> None:
    folder = valgrind_root(place).parent
    (folder / "root").mkdir(parents=True)
    (folder / "size").write_text("270000000\n")
    (folder / "digest").write_text("d1\n")


def test_its_size_until_it_is_removed(own: Home) -> None:
    assert valgrind_size(own) == 0
    _install(own)
    assert valgrind_size(own) == 270_000_000
    remove_valgrind(own)
    assert valgrind_size(own) == 0
    assert not valgrind_root(own).parent.exists()
    with pytest.raises(UserError, match="debian:valgrind is not installed"):
        remove_valgrind(own)


def test_it_is_called_by_its_name(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    golden: Hear,
) -> None:
    monkeypatch.setenv("WHYFAST_HOME", str(tmp_path))  # with no toolchains of the user's
    _install(home())
    assert main(["toolchain", "list"]) == 0
    (line,) = (s for s in capsys.readouterr().out.splitlines() if "valgrind" in s)
    assert line.split() == ["debian:valgrind", "installed", "270", "MB"]
    assert main(["toolchain", "remove", "debian:valgrind"]) == 0
    assert capsys.readouterr().out == "removed debian:valgrind\n"
    assert main(["toolchain", "remove", "debian:valgrind"]) == 2
    golden(capsys.readouterr().err)
