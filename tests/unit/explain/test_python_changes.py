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


Y = "pkg.y.<module>"


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
    return with_functions(code, folders[0], folders[1], ["{program}", "{source}/bench/b.py"])


@pytest.mark.parametrize(
    ("after", "names"),
    [
        (BEFORE.replace("return 1", "return 3"), ["pkg.x.A.f"]),
        (BEFORE.replace("import os", "import re"), ["pkg.x.<module>"]),
        (BEFORE.replace("import os", "import sys"), []),
        (BEFORE.replace("return 2", "return 2  # why"), []),
        (BEFORE.replace("def g", "def h"), ["pkg.x.h", "pkg.x.g"]),
        (BEFORE.replace("return self._p", "return 3"), ["pkg.x.A.p"]),
        (BEFORE.replace("= v", "= v + 1"), ["pkg.x.A.p (2)"]),
    ],
    ids=[
        "method",
        "outside of functions",
        "loaded by Python",
        "comment",
        "another name",
        "getter",
        "setter",
    ],
)
def test_functions_that_changed_are_named(tmp_path: Path, after: str, names: list[str]) -> None:
    code = compared(tmp_path, {"src/pkg/x.py": (BEFORE, after)})
    assert [f.name for f in code.functions] == names
    assert code.same == (not names)
    assert code.reasons == ()


DOCUMENTED = "def f():\n    'a'\n", "def f():\n    'b'\n"
TYPES = "B = Union[A, None]\nC = list[B]\ndef g(a: B) -> C:\n    return 2\n"
HAS_TYPE = "from .x import B\nclass A:\n    b: B\n"
AS_TEXTS = "from __future__ import annotations\n"
VALUES = "LIMIT = 10\n\n\ndef f(a=1):\n    return LIMIT\n\n\ndef g():\n    return 2\n"


@pytest.mark.parametrize(
    ("before", "after", "other", "names"),
    [
        (VALUES, VALUES.replace("10", "20"), "", ["pkg.x.f"]),
        (VALUES, VALUES.replace("10", "20"), "def h(x):\n    x.LIMIT\n", ["pkg.x.f", "pkg.y.h"]),
        (VALUES, VALUES.replace("10", "20"), "from .x import LIMIT as L\n", ["pkg.x.f", Y]),
        (VALUES, VALUES.replace("10", "max(1, 2)"), "", ["pkg.x.<module>", "pkg.x.f"]),
        (TYPES, TYPES.replace("Union[A, None]", "A | None"), "", []),
        (TYPES, TYPES.replace("B = Union", "B: t.TypeAlias = Union"), "", []),
        (TYPES, TYPES.replace("[A, None]", "[A, int]"), "def h(x):\n    x.C\n", ["pkg.y.h"]),
        (TYPES, TYPES.replace("B = Union[A, None]", "B = made(A)"), "", ["pkg.x.<module>"]),
        (TYPES, TYPES.replace("[A, None]", "[A, int]"), HAS_TYPE, [Y]),
        (TYPES, TYPES.replace("[A, None]", "[A, int]"), AS_TEXTS + HAS_TYPE, []),
        (
            TYPES,
            TYPES.replace("[A, None]", "[A, int]"),
            "from .x import B\nD = list[B]\ndef h():\n    D\n",
            ["pkg.y.h"],
        ),
        ("__path__ = []\n", "__path__ = ['a']\n", "", ["pkg.x.<module>"]),
        (VALUES, VALUES.replace("a=1", "a=2"), "", ["pkg.x.f"]),
        ("def f():\n    'a'\n", "def f():\n    'b'\n", "", []),
        ("def f():\n    'a'\n", "def f():\n    'b'\n", "f.__doc__\n", [Y]),
        ("def f():\n    'a'\n", "def f():\n    'b'\n", "f.__doc__ = 'c'\n", []),
        (*DOCUMENTED, "def h(x):\n    x.__doc__\nf()\n", []),
        (*DOCUMENTED, "def h(x):\n    x.__doc__\nh(f)\n", ["pkg.y.h"]),
        (*DOCUMENTED, "def h(x):\n    x.__doc__\nh(getattr(x, 'f'))\n", ["pkg.y.h"]),
        (*DOCUMENTED, "def h(x):\n    def f(): x.__doc__\n    h(f)\n", []),
        (*DOCUMENTED, "def h(x, f):\n    x.__doc__\n    h(f, f)\n", []),
        (*DOCUMENTED, "def h(x, n):\n    getattr(x, n).__doc__\n", ["pkg.y.h"]),
        (*DOCUMENTED, "def h(x):\n    for v in vars(x):\n        v.__doc__\n", ["pkg.y.h"]),
        (*(f"@h\n{text}" for text in DOCUMENTED), "def h(x):\n    x.__doc__\n", ["pkg.y.h"]),
        (*(f"@cache\n{text}" for text in DOCUMENTED), "def h(x):\n    x.__doc__\n", []),
    ],
    ids=[
        *("value", "of another module", "under another name", "a call"),
        *("a type", "said to be one", "a type of a type", "not only a type"),
        *("in an annotation of a class", "that is a text", "of another module's"),
        *("for Python", "default", "docstring", "docstring that is read", "docstring that is set"),
        *("docstrings of others are read", "handed on", "by its name", "of its own", "an argument"),
        *("computed", "looked through"),
        *("to a decorator", "to one that reads none"),
    ],
)
def test_what_a_module_sets_counts_for_who_reads_it(
    tmp_path: Path, before: str, after: str, other: str, names: list[str]
) -> None:
    code = compared(tmp_path, {"pkg/x.py": (before, after), "pkg/y.py": (other, other)})
    assert sorted(f.name for f in code.functions) == sorted(names)
    assert code.same == (not names)


CLASS = "class A:\n    def f(self): pass\n"
TYPED = "def f(a: int): pass\n"
TAKES = "from a import f\nfrom b import g\n\n\ndef h():\n    f()\n"


@pytest.mark.parametrize(
    ("before", "after", "other", "names"),
    [
        (CLASS, CLASS + "    def g(self): pass\n", "", ["pkg.x.A.g"]),
        (CLASS, CLASS + "    def __len__(self): pass\n", "", ["pkg.x.A.__len__", "pkg.x.<module>"]),
        (CLASS, CLASS + "    @y\n    def g(self): pass\n", "", ["pkg.x.A.g", "pkg.x.<module>"]),
        (CLASS, CLASS + "def g(a=f()): pass\n", "", ["pkg.x.<module>", "pkg.x.g"]),
        (TYPED, "@t.overload\ndef f(a: str): ...\n" + TYPED, "", []),
        (TYPED, TYPED.replace("int)", "str) -> str"), "", []),
        (
            TYPED,
            TYPED.replace("int", "str"),
            "def h(x):\n    x.__annotations__\nh(f)\n",
            ["pkg.y.h"],
        ),
        (TYPED, TYPED.replace("int", "str"), "def h(x):\n    x.__doc__\nh(f)\n", []),
        (f"@y\n{TYPED}", f"@y\n{TYPED}".replace("int", "str"), "", ["pkg.x.<module>", "pkg.x.f"]),
        ("if TYPE_CHECKING:\n    a\nelse:\n    b\n", "b\n", "", []),
        ("if t.TYPE_CHECKING:\n    a\nelse:\n    b\n", "a\n", "", ["pkg.x.<module>"]),
        ("from t import A\n", "from t import B, A\n", "", []),
        ("import t\nA\n", "import t\nfrom t import B\nA\n", "", []),
        ("from t import A\n", "from t import A\nfrom .t import B\n", "", ["pkg.x.<module>"]),
        (TAKES, TAKES.replace("f\n", "k\n", 1).replace("g", "f, g"), "h.f\n", ["pkg.x.h", Y]),
        (TAKES, TAKES.replace("f\n", "k\n", 1).replace("  f()", "  g()"), "h.f\n", ["pkg.x.h"]),
        ("def f(): sum()\n", "from a import b\n" * 2 + "def f(): sum()\n", "", ["pkg.x.<module>"]),
    ],
    ids=[
        *("method", "that Python asks for", "given to others", "default that calls"),
        *("overload", "annotations", "that are read", "docstrings are read", "for a decorator"),
        *("for checkers", "not for checkers", "another name", "of a known module", "a module"),
        *("of another module", "no longer taken", "taken twice"),
    ],
)
def test_a_definition_or_import_counts_where_it_does_work(
    tmp_path: Path, before: str, after: str, other: str, names: list[str]
) -> None:
    code = compared(tmp_path, {"pkg/x.py": (before, after), "pkg/y.py": (other, other)})
    assert sorted(f.name for f in code.functions) == sorted(names)


def test_a_value_that_a_benchmark_may_read_counts_where_it_is_set(tmp_path: Path) -> None:
    files = {"pkg/x.py": ("N = 1\n", "N = 2\n"), "tests/t.py": ("pkg.x.N\n",) * 2}
    assert compared(tmp_path / "unread", files).same
    files["bench/b.py"] = files.pop("tests/t.py")
    (change,) = compared(tmp_path, files).functions
    assert (change.name, change.diff) == ("pkg.x.<module>", ("-N = 1", "+N = 2"))


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("t = a + 1\n return t", "u = a + 1\n return u", True),
        ("t = a\n u = t\n return t", "t = a\n u = t\n return u", False),
        ("t = a\n return lambda: t", "u = a\n return lambda: u", True),
        ("t = a\n return lambda x: t", "x = a\n return lambda x: x", False),
        ("x = a\n return lambda x: x", "x = a\n return lambda y: x", False),
        ("t = a\n return g(t=t)", "u = a\n return g(u=u)", False),
        ("t = a\n return locals()", "u = a\n return locals()", False),
        ("global t\n t = a", "global u\n u = a", False),
        ("[t for t in a]\n return t", "[u for u in a]\n return u", False),
        ("class C:\n  t = a", "class C:\n  u = a", False),
        ("import t\n t = a", "import u\n u = a", False),
        ("t = a\n return t", "t: g(1) = a\n return t", True),
        ("t = a\n return t", "t: g(1)\n t = a\n return t", False),
        ("class C:\n  t = a", "class C:\n  t: int = a", False),
        ("a.t = a", "a.t: g(1) = a", True),
    ],
)
def test_what_a_variable_is_called_is_no_change(
    tmp_path: Path, before: str, after: str, same: bool
) -> None:
    texts = tuple(f"def f(a):\n {body}\n" for body in (before, after))
    assert compared(tmp_path, {"pkg/x.py": (texts[0], texts[1])}).same == same


def test_a_default_is_read_outside_of_the_function(tmp_path: Path) -> None:
    texts = tuple(f"def f(a={name}):\n {name} = a\n return {name}\n" for name in "tu")
    assert not compared(tmp_path, {"pkg/x.py": (texts[0], texts[1])}).same


def test_tests_and_settings_are_not_read_by_the_package(tmp_path: Path) -> None:
    files = {"tests/test_x.py": ("a = 1\n", "a = 2\n"), "pyproject.toml": ("a = 1", "a = 2")}
    files["asv.conf.json"] = ("{}", '{"pythons": []}')
    files["Makefile"] = ("a:", "b:")
    assert compared(tmp_path, files).same


def test_what_an_extension_is_compiled_from_is_not_read(tmp_path: Path) -> None:
    files = {"pkg/_x.c": ("1", "2"), "pkg/x.pyi": ("a: int", "a: str")}
    assert compared(tmp_path / "plain", files).reasons == ("the file pkg/_x.c differs",)
    assert compared(tmp_path / "built", {**files, "pkg/_x.so": ("3", "3")}).same


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
