"""Which Pythons the tests of the wheel run under."""

from pathlib import Path

import pytest
from tests import every_python


def test_the_newest_of_each_supported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    versions = tmp_path / "pyenv" / "versions"
    for name in ("3.6.15", "3.13.0", "3.13.11", "3.12.1"):
        (versions / name / "bin").mkdir(parents=True)
        (versions / name / "bin" / "python").touch(0o755)
    path = tmp_path / "bin"
    path.mkdir()
    for name in ("python3.12", "python3.14", "python3.9", "python3"):
        (path / name).touch(0o755)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("PATH", str(path))
    assert every_python.found() == {
        "3.12": str(versions / "3.12.1" / "bin" / "python"),
        "3.13": str(versions / "3.13.11" / "bin" / "python"),
        "3.14": str(path / "python3.14"),
    }
