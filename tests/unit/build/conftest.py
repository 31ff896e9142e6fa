"""A source folder and a store, both empty but for the one-file subject."""

import shutil
from pathlib import Path

import pytest
from tests.unit.build.example import write_source

from whyfast.store.builds import BuildStore
from whyfast.toolchain.sandbox import VARIABLE


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_source(tmp_path)


@pytest.fixture
def store(tmp_path: Path) -> BuildStore:
    return BuildStore(tmp_path / "builds")


@pytest.fixture
def needs_gcc() -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")


@pytest.fixture(autouse=True)
def no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps of these tests leave traces outside their folder, to be counted."""
    monkeypatch.setenv(VARIABLE, "off")
