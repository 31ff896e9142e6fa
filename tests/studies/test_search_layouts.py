"""Searches for a set over layouts: a program that simulates its times, so that no load counts."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.studies.test_run import whyfast
from tests.studies.test_search_history import PACED

from whyfast.store.home import Home


@pytest.fixture
def study(tmp_path: Path, own_home: Home) -> Path:
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "study.toml").write_text(
        f"""
[study]
title = "What exactly?"
baseline = "fast"
margin = 0.02
[source]
path = "{PACED.parent}"
[build]
steps = ["{{cc}} {{cflags}} -c {{source}}/paced.c"]
link = "{{cc}} -o {{program}} paced.o {{layout}} {{ldflags}}"
program = "paced"
[variant.fast]
toolchain = "path:gcc"
cflags = ["-O1", "-ffunction-sections", "-fno-toplevel-reorder", "-DSTEPS=60000"]
[variant.moved]
extends = "fast"
cflags.add = ["-fno-dce", "-DMOVED", "-fno-dse"]
[variant.slow]
extends = "fast"
cflags = [
    "-O1", "-ffunction-sections", "-fno-toplevel-reorder", "-fno-dce", "-DSTEPS=66000", "-fno-dse",
]
[benchmarks.paced]
runner = "turn"
command = ["{{program}}"]
[measure]
layouts = 12
turns = 5
"""
    )
    return folder


def _search(study: Path, axis: str, bad: str) -> tuple[dict[str, Any], str]:
    out = study / "search.json"
    done = whyfast(
        *("search", study, "--axis", axis, "--good", "fast", "--bad", bad, "--json", out)
    )
    return json.loads(out.read_text())["data"], " ".join(done.stdout.split())


def test_flags_that_only_move_code_are_placement(study: Path) -> None:
    found, said = _search(study, "flags", "moved")
    assert found["answer"]["outcome"] == "placement"
    assert said.startswith("Placement: moved is 1.0")


@pytest.mark.long
@pytest.mark.parametrize("axis", ["flags", "objects", "functions"])
def test_what_adds_work_does_so_over_layouts(study: Path, axis: str) -> None:
    found, said = _search(study, axis, "slow")
    answer = found["answer"]
    (part,) = answer["parts"]
    named = {
        "flags": "-DSTEPS=66000 for -DSTEPS=60000",
        "objects": "paced.o",
        "functions": "main, work",  # they share a variable
    }
    assert [found["differences"][d] for d in part] == [named[axis]]
    assert answer["tested"] == "change"
    assert "it is not placement" in said or answer["over_layouts"]
