"""A survey of two interpreters: one of which the compiler merges the dispatch, and a switch."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.studies.test_expect import SOURCE
from tests.studies.test_run import whyfast

from whyfast.store.home import Home

COMMON = """
[study]
title = "Is it merged?"
baseline = { size = "small" }
[source]
path = "src"
[build]
steps = ["{cc} {cflags} -o {program} {source}/vm.c {ldflags}"]
program = "vm"
[axes.compiler.gcc]
toolchain = "path:gcc"
[axes.size.small]
cflags = ["-Os"]
[axes.size.fast]
cflags = ["-O2"]
[benchmarks.vm]
command = ["{program}"]
[measure]
budget = "1s"
[evidence]
dispatch = ["run"]
"""


def _program(folder: Path, name: str, source: str, more: str = "") -> None:
    (folder / name / "src").mkdir(parents=True)
    (folder / name / "src" / "vm.c").write_text(source)
    (folder / name / "study.toml").write_text(f'include = "../common.toml"\n{more}')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    folder = tmp_path / "interpreters"
    folder.mkdir()
    (folder / "common.toml").write_text(COMMON)
    _program(folder, "threaded", SOURCE)
    no_build = '[build]\nsteps = ["{cc} {cflags} -o {program} {source}/no.c {ldflags}"]\n'
    _program(folder, "broken", SOURCE, no_build)
    return folder


def _programs(file: Path) -> dict[str, dict[str, Any]]:
    data = json.loads(file.read_text())
    assert data["schema"] == "whyfast-survey/1"
    return {p["study"]: p for p in data["data"]["programs"]}


def test_a_merged_program_is_measured_and_kept(own_home: Home, folder: Path) -> None:
    out = folder / "survey.json"
    whyfast("survey", "run", folder, "--json", out, code=1)
    programs = _programs(out)
    forms = {v["name"]: v["facts"]["form"] for v in programs["threaded"]["variants"]}
    assert forms == {"gcc-small": "merged", "gcc-fast": "replicated"}
    timed = {v["name"] for v in programs["threaded"]["variants"] if v["verdict"]}
    assert timed == {"gcc-fast"}
    assert any("no.c" in failure for failure in programs["broken"]["failures"])
    # Asked again, only what failed is tried again.
    again = whyfast("survey", "run", folder, "--only", "threaded", "--json", out)
    assert _programs(out)["threaded"] == programs["threaded"]
    assert "measuring" not in again.stderr


def test_another_workload_is_another_survey(own_home: Home, folder: Path) -> None:
    asked = ("survey", "run", folder, "--only", "threaded", "--evidence-only")
    for changed, is_read in ((False, True), (False, False), (True, True)):
        if changed:
            (folder / "workloads").mkdir()
            (folder / "workloads" / "sort.txt").write_text("3 1 2")
        assert ("reading the machine code" in whyfast(*asked).stderr) == is_read


def test_a_program_that_fails_in_part_is_surveyed_again(own_home: Home, folder: Path) -> None:
    no_header = '[axes.size.fast]\ncflags = ["-O2", "-include", "missing.h"]\n'
    _program(folder, "partly", SOURCE, no_header)
    for _ in range(2):
        asked = ("survey", "run", folder, "--only", "partly", "--evidence-only")
        assert "reading the machine code" in whyfast(*asked, code=1).stderr


def test_a_folder_without_a_survey(folder: Path) -> None:
    for arguments, where in ((["nowhere"], "nowhere"), ([folder, "--only", "ruby"], "--only")):
        refused = whyfast("survey", "run", *arguments, code=2)
        assert where in refused.stderr
    (folder / "broken" / "study.toml").write_text(
        'include = "../common.toml"\n[study]\nbaseline = "gcc-small"\n'
    )
    refused = whyfast("survey", "run", folder, "--only", "broken", code=2)
    assert "broken" in refused.stderr
