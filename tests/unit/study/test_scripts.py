"""Scripts that `whyfast new` writes for an interpreter."""

import subprocess
import sys
from pathlib import Path

import pytest

from whyfast.build.recipe import scan_source
from whyfast.study.scripts import SCRIPTS, WRONG


@pytest.mark.parametrize("text", [*SCRIPTS["py"].values(), WRONG["py"]], ids=[*SCRIPTS["py"], "no"])
def test_scripts_of_python_end_well_but_the_wrong_one(text: str) -> None:
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (text != WRONG["py"]), done.stderr


def test_what_is_written_beside_a_study_is_no_source(tmp_path: Path) -> None:
    for name in ("main.c", "whyfast.toml", "whyfast_bench_calls.py"):
        (tmp_path / name).write_text("x")
    assert [*scan_source(tmp_path).files] == ["main.c"]
