"""Changed functions of a Python package, by their syntax."""

from pathlib import Path

import pytest

from whyfast.explain.python_changes import executed_name, with_functions
from whyfast.explain.same_builds import same_builds
from whyfast.model.code import CodeComparison

BEFORE = """\
import os


class A:
    def f(self):
        return 1

    @property
    def p(self):
        return self._p

    @p.setter
    def p(self, v):
        self._p = v


def g():
    return 2
"""


def compared(tmp_path: Path, files: dict[str, tuple[str, str]]) -> CodeComparison:
    folders = []
    for number, side in enumerate(("base", "head")):
        folder = tmp_path / side
        for name, texts in files.items():
            file = folder / "src" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(texts[number])
        (folder / "python").write_text("#!/bin/sh\n")
        folders.append(folder)
    program = Path("python")
    code = same_builds((folders[0], program), (folders[1], program))
    return with_functions(code, *folders)


@pytest.mark.parametrize(
    ("after", "names"),
    [
        (BEFORE.replace("return 1", "return 3"), ["pkg.x.A.f"]),
        (BEFORE.replace("import os", "import sys"), ["pkg.x.<module>"]),
        (BEFORE.replace("return 2", "return 2  # why"), []),
        (BEFORE.replace("def g", "def h"), ["pkg.x.h", "pkg.x.<module>", "pkg.x.g"]),
        (BEFORE.replace("return self._p", "return 3"), ["pkg.x.A.p"]),
        (BEFORE.replace("= v", "= v + 1"), ["pkg.x.A.p (2)"]),
    ],
    ids=["method", "outside of functions", "comment", "another name", "getter", "setter"],
)
def test_functions_that_changed_are_named(tmp_path: Path, after: str, names: list[str]) -> None:
    code = compared(tmp_path, {"src/pkg/x.py": (BEFORE, after)})
    assert [f.name for f in code.functions] == names
    assert code.same == (not names)
    assert code.reasons == ()


def test_tests_and_settings_are_not_read_by_the_package(tmp_path: Path) -> None:
    files = {"tests/test_x.py": ("a = 1\n", "a = 2\n"), "pyproject.toml": ("a = 1", "a = 2")}
    assert compared(tmp_path, files).same


def test_other_files_stay_a_reason(tmp_path: Path) -> None:
    code = compared(tmp_path, {"pkg/data.json": ("1", "2"), "pkg/x.py": ("a = 1\n", "a = 2\n")})
    assert not code.traced
    assert code.reasons == ("the file pkg/data.json differs",)


def test_what_a_build_makes_outside_of_its_sources_stays_a_reason(tmp_path: Path) -> None:
    code = compared(tmp_path, {"../lib/made.py": ("a = 1\n", "a = 2\n")})
    assert (code.same, code.traced) == (False, False)
    assert code.reasons == ("the file lib/made.py differs",)


def test_code_that_ran_has_the_name_of_its_function(tmp_path: Path) -> None:
    compared(tmp_path, {"pkg/x.py": (BEFORE, BEFORE)})
    file = str(tmp_path / "base" / "src" / "pkg" / "x.py")
    assert executed_name(tmp_path / "base", (file, 5, "f")) == "pkg.x.A.f"
    assert executed_name(tmp_path / "base", (file, 1, "<module>")) == "pkg.x.<module>"
    assert executed_name(tmp_path / "base", (file, 12, "p")) == "pkg.x.A.p (2)"
    assert executed_name(tmp_path / "base", ("/elsewhere.py", 5, "f")) == ""
