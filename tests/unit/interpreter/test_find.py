"""Interpreters as a user names them."""

import os
import sys
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.interpreter.command_line import python_command
from whyfast.model.errors import UserError
from whyfast.store.home import own_home


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH of its own, a pyenv and a uv with some versions, none of which is run."""
    for place in (
        *("bin/python3", "bin/python3.9", "venv/bin/python"),
        *("pyenv/versions/3.12.1/bin/python", "pyenv/versions/3.12.10/bin/python"),
        "uv/cpython-3.13.1-linux-x86_64-gnu/bin/python3",
    ):
        file = tmp_path / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("#!/bin/sh\n")
        file.chmod(0o755)
    (tmp_path / "plain").write_text("")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("UV_PYTHON_INSTALL_DIR", str(tmp_path / "uv"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("python3", ["bin/python3"]),
        ("3.9", ["bin/python3.9"]),
        ("path:python3", ["bin/python3"]),
        ("venv", ["venv/bin/python"]),
        ("venv/bin/python -X dev", ["venv/bin/python", "-X", "dev"]),
        ("3.12", ["pyenv/versions/3.12.10/bin/python"]),
        ("pyenv:3.12.1", ["pyenv/versions/3.12.1/bin/python"]),
        ("python3.13", ["uv/cpython-3.13.1-linux-x86_64-gnu/bin/python3"]),
        ("uv:3.13 -O", ["uv/cpython-3.13.1-linux-x86_64-gnu/bin/python3", "-O"]),
    ],
)
def test_an_interpreter_is_found(here: Path, text: str, words: list[str]) -> None:
    program, *options = python_command(text, own_home(), lambda note: None)
    assert [os.path.relpath(program, here), *options] == words


@pytest.mark.parametrize("text", ["python9", "3.14", "uv:3.12", "bin", "plain", "no/python", "'"])
def test_one_that_is_not_there_is_bad_input(here: Path, text: str, golden: Hear) -> None:
    name = f"./{text}" if text == "plain" else text
    with pytest.raises(UserError) as error:
        python_command(name, own_home(), lambda note: None)
    golden(str(error.value).replace(str(here), "/here"))


def test_a_shim_of_pyenv_is_the_python_that_it_chooses(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shim = here / "shims" / "python3"
    shim.parent.mkdir()
    shim.write_text(f"#!/bin/sh\necho {sys.executable}\n")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{shim.parent}:/usr/bin:/bin")
    assert python_command("python3", own_home(), lambda note: None) == (sys.executable,)


@pytest.mark.parametrize(
    ("version", "found"), [("3.12.1\n", True), ("3.12.1\n3.12.10\n", False), ("3.12\n", False)]
)
def test_pyenv_is_not_started_where_a_file_names_one_version(
    here: Path, monkeypatch: pytest.MonkeyPatch, version: str, found: bool
) -> None:
    shim = here / "pyenv" / "shims" / "python"
    shim.parent.mkdir()
    shim.write_text("#!/bin/sh\necho asked\n")
    shim.chmod(0o755)
    (here / ".python-version").write_text(version)
    below = here / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    monkeypatch.setenv("PATH", f"{shim.parent}:/usr/bin:/bin")
    monkeypatch.delenv("PYENV_VERSION", raising=False)
    (program,) = python_command("python", own_home(), lambda note: None)
    own = str(here / "pyenv/versions/3.12.1/bin/python")
    assert program == (own if found else "asked")
