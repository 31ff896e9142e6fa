"""What is run and believed lies where nobody else can write."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from whyfast.cli.main import main
from whyfast.model.errors import UserError
from whyfast.store.private import make_private, own_home


@pytest.fixture
def _open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


@pytest.mark.usefixtures("_open_umask")
def test_store_and_cache_are_private_whatever_the_umask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHYFAST_HOME", str(tmp_path / "new" / "home"))
    own = own_home()
    assert [_mode(p) for p in (own.cache, own.data)] == [0o700, 0o700]
    assert [_mode(p) for p in (tmp_path / "new", tmp_path / "new" / "home")] == [0o700, 0o700]


def test_a_folder_that_others_may_read_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(0o755)
    make_private(folder)
    assert _mode(folder) == 0o700


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o1777])
def test_a_folder_that_others_may_write_into_is_refused(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(UserError) as caught:
        make_private(folder)
    assert str(caught.value) == (
        f"{folder}: others may write into it, and what lies in it is run; look through it, then "
        f"chmod -R go-w {folder}, or delete it"
    )
    assert _mode(folder) == mode


def test_a_folder_that_anybody_can_replace_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    with pytest.raises(UserError, match=f"anybody may write into {tmp_path}, and so put another"):
        make_private(tmp_path / "cache")
    tmp_path.chmod(0o1777)  # as /tmp is: nobody can rename what is another's
    make_private(tmp_path / "cache")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_somebody_else_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SUDO_UID", raising=False)
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    os.chown(folder, 1234, 1234)
    with pytest.raises(UserError, match="belongs to user 1234, who may write into it"):
        make_private(folder)
    monkeypatch.setenv("SUDO_UID", "1234")
    make_private(folder)


def test_a_command_refuses_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(0o777)
    monkeypatch.setenv("WHYFAST_HOME", str(tmp_path))
    assert main(["builds"]) == 2
    assert capsys.readouterr().err.startswith(f"whyfast: {cache}: others may write into it")
