"""What mangled names say."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from whyfast.explain.objects.image import Function, readable, readable_of, with_readable_names
from whyfast.explain.program import explain_program, load

pytestmark = pytest.mark.skipif(shutil.which("c++filt") is None, reason="c++filt is not installed")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("_ZN3foo3barEi", "foo::bar(int)"),
        ("_ZN3foo3barEi.constprop.0.cold", "foo::bar(int).constprop.0.cold"),
        ("__ZN3foo3barEi", "foo::bar(int)"),
        ("_ZN3std2rt10lang_start17he39bdf0230cb3880E", "std::rt::lang_start"),
        ("_RNvCs6xxl1lAjzDf_1a4main", "a::main"),
        ("_RNvCsAAAAAAAAAAA_1a4main", "a::main"),
    ],
)
def test_a_name_in_words(name: str, said: str) -> None:
    assert readable([name]) == {name: said}


def test_what_says_nothing_is_left_out() -> None:
    assert readable(["main", "_Zzz", "_R", "_start", "?foo@@YAHH@Z", "x\n_Z1fv"]) == {}


def test_both_names_stay() -> None:
    c, cpp = (Function((n,), 0, 0, 1, ".text") for n in ("main", "_Z1fv"))
    assert [f.names for f in with_readable_names([c, cpp])] == [("main",), ("f()", "_Z1fv")]
    assert readable_of("_Z1fv", ("f()", "_Z1fv")) == "f()"
    assert readable_of("alias", ("main", "alias")) == "alias"


def test_without_the_tool_names_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert readable(["_Z1fv"]) == {}


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
def test_a_program_is_asked_by_either_name(tmp_path: Path) -> None:
    source = tmp_path / "x.cc"
    source.write_text("namespace foo { int bar(int x) { return x + 1; } }")
    made = tmp_path / "x.o"
    subprocess.run(["g++", "-c", "-O1", source, "-o", made], check=True)
    assert [f.names for f in load(made).functions] == [("foo::bar(int)", "_ZN3foo3barEi")]
    for pattern in ("foo::bar*", "_ZN3foo*"):
        found = explain_program(made, variant="x", dispatch=(), functions=(pattern,))
        assert [f.name for f in found.functions] == ["foo::bar(int)"]
