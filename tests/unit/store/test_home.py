"""Where things are kept."""

import os
import pwd
from pathlib import Path

import pytest

from whyfast.store.home import home


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WHYFAST_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/ann")


def test_by_default_in_the_users_cache_and_data_folders() -> None:
    assert home().builds == Path("/home/ann/.cache/whyfast/builds")
    assert home().toolchains == Path("/home/ann/.cache/whyfast/toolchains")
    assert home().database == Path("/home/ann/.local/share/whyfast/results.sqlite")


def test_without_a_home_variable_that_of_the_list_of_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WHYFAST_HOME", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    own = Path(pwd.getpwuid(os.getuid()).pw_dir)
    monkeypatch.setenv("HOME", "")
    assert home().cache == own / ".cache/whyfast"
    monkeypatch.delenv("HOME")
    assert home().cache == own / ".cache/whyfast"


def test_the_xdg_folders_when_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/c")
    monkeypatch.setenv("XDG_DATA_HOME", "")  # an empty one counts as not set
    assert home().cache == Path("/c/whyfast")
    assert home().data == Path("/home/ann/.local/share/whyfast")


def test_everything_below_ones_own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/c")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WHYFAST_HOME", "mine")
    assert home().cache == tmp_path / "mine" / "cache"
    assert home().data == tmp_path / "mine" / "data"


def test_relative_xdg_folders_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "c")
    monkeypatch.setenv("XDG_DATA_HOME", "./d")
    assert home().cache == Path("/home/ann/.cache/whyfast")
    assert home().data == Path("/home/ann/.local/share/whyfast")
