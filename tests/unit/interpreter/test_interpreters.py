"""Interpreters by name, what they answer, and how they were built."""

import shutil
import sys
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.interpreters import interpreters

from whyfast.interpreter.facts import ask, corrected, facts_of, needs_libpython
from whyfast.interpreter.providers import (
    interpreter_installed,
    parse_name,
    resolve_interpreter,
    root_folder,
)
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "cache", tmp_path / "data")


def _said(home: Home, name: str) -> str:
    with pytest.raises((UserError, CannotBuildHere)) as caught:
        resolve_interpreter(name, home, lambda text: None)
    return str(caught.value)


def _pyenv(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pyenv whose versions are one and the same interpreter, and scripts that are none."""
    monkeypatch.setenv("PYENV_ROOT", str(folder))
    script = folder / "script"
    script.parent.mkdir(exist_ok=True)
    script.write_text("#!/bin/sh\necho hello\n")
    script.chmod(0o755)
    known = interpreters()
    program = known[-1].program if known else script
    for version, target in (
        ("3.9.18", program),
        ("3.10.2", script),
        ("3.10.13", program),
        ("1.0", script),
    ):
        place = folder / "versions" / version / "bin"
        place.mkdir(parents=True)
        (place / "python").symlink_to(target)


@pytest.mark.skipif(not interpreters(), reason="no CPython with headers here")
def test_pyenvs_newest_of_it(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _pyenv(tmp_path / "pyenv", monkeypatch)
    found = resolve_interpreter("pyenv:3.10", home, lambda text: None)
    known = interpreters()[-1]
    assert found.name == "pyenv:3.10"
    assert found.version == str(known)
    assert found.program.is_file()
    assert found.headers[0] == known.include
    assert found.cflags[0] == f"-I{known.include}"
    assert found.root is None
    assert set(found.facts) == {"compiler", "flags", "PGO", "LTO", "libpython", "build"}
    again = resolve_interpreter("pyenv:3.10.13", home, lambda text: None)
    assert again.digest == found.digest
    by_path = resolve_interpreter(f"path:{known.program}", home, lambda text: None)
    assert by_path.digest == found.digest
    assert interpreter_installed("pyenv:3.10", home)


def test_those_that_are_not_there(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Hear
) -> None:
    _pyenv(tmp_path / "pyenv", monkeypatch)
    golden(_said(home, "pyenv:3.1"))
    assert "is not a Python; it printed 'hello" in _said(home, "pyenv:1.0")
    assert _said(home, "path:no-such-python").startswith("no-such-python is not installed")
    assert _said(home, "pyenv:").startswith("invalid interpreter 'pyenv:'")
    golden(_said(home, "build:other/tail"))


@pytest.mark.parametrize("name", ["conda:3.12", "debian:python3", "build:tail"])
def test_names_of_another_form(home: Home, name: str, golden: Hear) -> None:
    golden(_said(home, name))


def test_a_root_for_each_python_and_suite(home: Home) -> None:
    one, other = parse_name("python3.14@forky"), parse_name("python3.13@trixie")
    assert one.packages == ("python3.14", "libpython3.14-dev")
    assert root_folder(home, one).name.startswith("debian-forky-python3.14-")
    assert root_folder(home, one) != root_folder(home, other)
    assert not interpreter_installed("debian:python3.14@forky", home)


def test_local_modules_are_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be an untrusted checkout."""
    for name in ("json", "platform", "sysconfig"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w').close(); raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    assert ask([sys.executable]).version == ".".join(map(str, sys.version_info[:3]))
    assert not (tmp_path / "ran").exists()


PYENV = {
    "CONFIG_ARGS": "'--prefix=/v' '--enable-shared' '--libdir=/v/lib'",
    "OPT": "-DNDEBUG -g -fwrapv -O3 -Wall",
    "PY_CFLAGS": "-Wsign-compare -DNDEBUG -g -fwrapv -O3 -Wall",
    "Py_ENABLE_SHARED": 1,
    "Py_DEBUG": 0,
}
SHARED = {
    "compiler": "GCC 12.2.0",
    "flags": "-O3",
    "PGO": "without PGO",
    "LTO": "without LTO",
    "libpython": "shared",
    "build": "release",
}


def test_of_a_plain_build() -> None:
    assert facts_of("GCC 12.2.0", PYENV) == SHARED


@pytest.mark.parametrize(
    ("variables", "fact", "said"),
    [
        ({"CONFIG_ARGS": "'--enable-optimizations'"}, "PGO", "with PGO"),
        ({"PY_CORE_CFLAGS": "-O2 -fprofile-use"}, "PGO", "with PGO"),
        ({"CONFIG_ARGS": "'--with-lto'"}, "LTO", "with LTO"),
        ({"CONFIG_ARGS": "'--with-lto=thin'"}, "LTO", "with LTO"),
        ({"CONFIG_ARGS": "'--with-lto=no'"}, "LTO", "without LTO"),
        (
            {"PY_CFLAGS": "-O3 -O2 -fstack-protector-strong"},
            "flags",
            "-O2 -fstack-protector-strong",
        ),
        ({"Py_DEBUG": 1, "Py_GIL_DISABLED": 1}, "build", "debug without the GIL"),
        ({"CONFIG_ARGS": None}, "libpython", "in the program"),
    ],
)
def test_of_others(variables: dict[str, object], fact: str, said: str) -> None:
    assert facts_of("Clang 19.1.7", variables)[fact] == said


def test_a_record_that_the_program_contradicts_is_believed_in_nothing_else() -> None:
    assert corrected(SHARED, linked=True) == corrected(SHARED, linked=None) == SHARED
    assert corrected(SHARED, linked=False) == {
        **SHARED,
        "libpython": "in the program",
        "PGO": "not known",
        "LTO": "not known",
    }


def test_whether_a_program_is_linked_with_libpython(tmp_path: Path) -> None:
    text = tmp_path / "python"
    text.write_text("#!/bin/sh\n")
    assert needs_libpython(text) is None
    assert needs_libpython(tmp_path / "none") is None
    true = shutil.which("true")
    if true:
        assert needs_libpython(Path(true)) is False
