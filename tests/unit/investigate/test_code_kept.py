"""What a result keeps of the machine code of its builds."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from whyfast.investigate import judging as code_kept
from whyfast.investigate.judging import kept_code
from whyfast.model.build import Build
from whyfast.model.study import EvidenceSpec
from whyfast.model.variant import Variant

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


@pytest.fixture
def work(tmp_path: Path) -> Any:
    source = tmp_path / "vm.c"
    source.write_text(
        "__attribute__((noinline)) int op_add(int a) { return a + 3; }\n"
        "__attribute__((noinline)) int op_sub(int a) { return a - 3; }\n"
        "int main(int c, char **v) { (void)v; return op_add(op_sub(c)); }\n"
    )
    subprocess.run(["gcc", "-O1", "-o", tmp_path / "vm", source], check=True)
    build = Build("a", "0" * 64, tmp_path / "vm", "1" * 64, {}, reused=False)
    variants = (Variant("a", ""), replace(Variant("t", ""), control_of="a"))
    question = SimpleNamespace(evidence=EvidenceSpec(dispatch=("op_*",)), variants=variants)
    return SimpleNamespace(question=question, builds=(build, replace(build, variant="t")))


def test_the_named_functions_of_each_build_but_controls(work: Any) -> None:
    (found,) = kept_code(work)
    assert found.variant == "a"
    assert sorted(x.function for x in found.listings) == ["op_add", "op_sub"]
    assert all(x.lines[-1].flow == "return" for x in found.listings)
    assert found.left_out == 0


def test_what_has_no_room_is_counted(work: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_kept, "MOST_LINES", 3)
    (found,) = kept_code(work)
    assert len(found.listings) == 1
    assert found.left_out == 1


def test_nothing_is_kept_where_nothing_is_asked(work: Any) -> None:
    work.question.evidence = EvidenceSpec()
    assert kept_code(work) == ()


def test_a_program_that_cannot_be_read_is_passed_over(work: Any, tmp_path: Path) -> None:
    (tmp_path / "vm").write_bytes(b"no program")
    assert kept_code(work) == ()
