"""How an interpreter was built, from what its sysconfig says."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from whyfast.interpreter.provider import corrected, facts_of, needs_libpython

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
