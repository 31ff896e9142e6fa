"""Where a function may be that a program does not have."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.cli.main import main
from whyfast.explain.program import hint_for, where_instead


@pytest.fixture
def stub(tmp_path: Path) -> Path:
    """A program that only calls into a library beside it."""
    (tmp_path / "lib.c").write_text("int vm_run(int n) { return n * 3; }\n")
    (tmp_path / "main.c").write_text("int vm_run(int); int main(void) { return vm_run(0); }\n")
    library = tmp_path / "libvm.so.1"
    build = ["gcc", "-g", "-shared", "-fPIC", "-Wl,-soname,libvm.so.1", "-o", str(library)]
    subprocess.run([*build, str(tmp_path / "lib.c")], check=True)
    program = tmp_path / "vm"
    link = ["gcc", "-g", "-o", str(program), str(tmp_path / "main.c"), str(library)]
    subprocess.run([*link, "-Wl,-rpath,$ORIGIN"], check=True)
    return program


def test_a_stub_offers_the_library_that_has_it(
    stub: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hint = f"it is in {stub.parent / 'libvm.so.1'}, which vm loads"
    assert hint_for(stub, "vm_r*") == hint
    assert main(["explain", str(stub), "--function", "vm_r*"]) == 1
    said = "".join(capsys.readouterr().out.split())  # lines are broken within long paths, too
    assert said == f"Warning: vm_r*: no function of vm matches it; {hint}".replace(" ", "")


def test_the_nearest_name(stub: Path, golden: Hear) -> None:
    golden(hint_for(stub, "mian"))
    golden(where_instead(Path("/no/such/file"), "vm_rum*", ["vm_run.cold", "x"]))
    assert where_instead(Path("/no/such/file"), "zzz", ["vm_run"]) == ""
