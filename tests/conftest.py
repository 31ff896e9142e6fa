"""Shared by all tests: the compilers that ``tests/prepare.py`` fetched, and a home of their own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from whyfast.store.home import Home, home
from whyfast.toolchain.zig import ZigProvider

#: Read before any test changes the environment.
USERS_TOOLCHAINS = home().toolchains


def pytest_configure() -> None:
    """Tests that only need some clang find one without asking the user."""
    zig = USERS_TOOLCHAINS / "ziglang-0.14.1" / "zig"
    if "WHYFAST_TEST_ZIG" not in os.environ and zig.exists():
        os.environ["WHYFAST_TEST_ZIG"] = str(zig)
    cache = USERS_TOOLCHAINS / "test-cache"
    os.environ.setdefault("ZIG_GLOBAL_CACHE_DIR", str(cache))
    os.environ.setdefault("ZIG_LOCAL_CACHE_DIR", str(cache))


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """An empty home for builds and results, with the user's downloaded compilers."""
    monkeypatch.setenv("WHYFAST_HOME", str(tmp_path / "home"))
    mine = home()
    mine.cache.mkdir(parents=True)
    if USERS_TOOLCHAINS.is_dir():
        (mine.cache / "toolchains").symlink_to(USERS_TOOLCHAINS)
    return mine


@pytest.fixture
def needs_clang() -> None:
    """Skip where clang 18 and 19 were not fetched."""
    for name in ("clang-18", "clang-19"):
        if not ZigProvider().installed(name, Home(USERS_TOOLCHAINS.parent, Path())):
            pytest.skip(f"zig:{name} is not there; run python -m tests.prepare")
