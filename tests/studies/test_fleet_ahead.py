"""A search whose candidates are built ahead by a real worker, and a check that one measures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.studies.commit_study import Repository, write_commit_study
from tests.studies.fleet_processes import FleetProcesses
from tests.studies.known_study import SPIN

from whyfast.report.result_json import load_result
from whyfast.store.builds import BuildStore

pytest.importorskip("distributed")

#: Commit 11 makes the program do half as much work again; the others change nothing.
CULPRIT, COMMITS = 6, 8

BUILD = """
steps = [
    "sleep 0.3",
    "{cc} -O2 {cflags} -I{include} -o {program} {source}/spin.c {ldflags}",
]
program = "spin"
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    made = Repository(tmp_path / "repository")
    source = (SPIN / "spin.c").read_text()
    for number in range(COMMITS + 1):
        steps = 15000 if number >= CULPRIT else 10000
        text = f"#define STEPS {steps}\n/* revision {number} */\n{source}"
        (made.folder / "spin.c").write_text(text)
        made.commit(f"change {number}")
    made.git("tag", "fast", f"HEAD~{COMMITS}")
    return made.folder


@pytest.mark.long
def test_a_search_has_candidates_built_by_a_host_and_a_check_is_measured_there(
    fleet: FleetProcesses, repository: Path, tmp_path: Path
) -> None:
    study = write_commit_study(tmp_path / "study", repository, BUILD, measure="turns = 8")
    out = tmp_path / "search.json"
    words = ("search", study, "--good", "fast", "--bad", "main", *fleet.options())
    fleet.up("ash")
    fleet.start("here", *words, "--json", out)
    assert fleet.ended("here") == 0, fleet.said("here")
    said = fleet.said("here")
    assert "ash makes the same build as this machine, and builds ahead" in said
    found: dict[str, Any] = json.loads(out.read_text())["data"]
    assert found["answer"]["outcome"] == "culprit", said
    assert found["answer"]["where"]["first"] == found["answer"]["where"]["last"] == CULPRIT
    builds = list(BuildStore(fleet.coordinator_home.builds).all())
    assert {b.provenance.get("built_on") for b in builds} == {None, "ash"}
    # What was fetched does not stay there.
    kept = fleet.folder / "ash" / "cache" / "fleet" / "made"
    assert not [b for b in builds if "built_on" in b.provenance and (kept / b.digest).exists()]

    text = (study / "study.toml").read_text()
    place = f'git = "{repository}"\nrevision = "main"'
    (tmp_path / "own.toml").write_text(text.replace(place, f'path = "{repository}"'))
    asked = ("check", f"main~{COMMITS - CULPRIT + 1}..main", "--study", tmp_path / "own.toml")
    fleet.start("check", *asked, *fleet.options(), "--json", out, folder=repository)
    assert fleet.ended("check") == 0, fleet.said("check")
    result = load_result(out)
    assert [v.outcome for v in result.judged.verdicts] == ["slower"]
    assert {s.environment["machine"] for s in result.recorded.sessions} == {"ash"}
