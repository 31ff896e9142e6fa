"""Counters and hot functions of a study, end to end: git, gcc, Valgrind."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.studies.commit_study import Repository
from tests.studies.test_run import whyfast

from whyfast.store.home import Home

SOURCE = """
#include "whyfast_turn.h"
#define NOINLINE __attribute__((noinline))
static NOINLINE uint64_t hot(uint64_t x)
{
    for (uint64_t i = 0; i < HOT; i++)
        x = x % 3 ? x * 7 + i : x / 3;
    return x;
}
static NOINLINE uint64_t cold(uint64_t x)
{
    return x COLD;
}
static uint64_t run(void *state, uint64_t loops)
{
    volatile uint64_t *never = state;
    static volatile uint64_t seen;
    for (uint64_t i = 0; i < loops; i++)
        seen = *never ? cold(i) : hot(i);
    return 0;
}
int main(void)
{
    uint64_t never = 0;
    return whyfast_turns(run, &never);
}
"""

STUDY = """
[study]
title = "Is it the change?"
baseline = "first"
[source]
git = "{repository}"
revision = "v1"
[build]
steps = ["{{cc}} -g -O1 {{cflags}} -I{{include}} -o {{program}} {{source}}/p.c {{ldflags}}"]
program = "p"
[variant.first]
toolchain = "path:gcc"
[variant.cold-changed]
extends = "first"
revision = "v2"
[variant.hot-changed]
extends = "first"
revision = "v3"
[benchmarks.work]
runner = "turn"
command = ["{{program}}"]
[benchmarks.whole]
runner = "command"
command = ["{{program}}"]
[measure]
budget = "1s"
[evidence]
{evidence}
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Three commits: v2 changes what never runs, v3 what always does."""
    for tool in ("git", "gcc", "valgrind"):
        if shutil.which(tool) is None:
            pytest.skip(f"needs {tool}")
    made = Repository(tmp_path / "repository")
    for i, (cold, hot) in enumerate((("+ 1", "1000"), ("+ 2", "1000"), ("+ 2", "1100")), 1):
        (made.folder / "p.c").write_text(SOURCE.replace("COLD", cold).replace("HOT", hot))
        made.commit(f"commit {i}")
        made.git("tag", f"v{i}")
    return made.folder


def _write(tmp_path: Path, repository: Path, evidence: str) -> Path:
    folder = tmp_path / "study"
    folder.mkdir(exist_ok=True)
    text = STUDY.format(repository=repository, evidence=evidence)
    (folder / "study.toml").write_text(text)
    return folder


def _instructions(result: dict[str, Any]) -> dict[str, float]:
    counts = result["found"]["counted"][0]["counts"]
    return {
        c["variant"]: next(k["value"] for k in c["counters"] if k["name"] == "instructions")
        for c in counts
    }


def test_what_each_build_and_commit_does(own_home: Home, tmp_path: Path, repository: Path) -> None:
    study = _write(tmp_path, repository, 'counters = "simulated"\ncounted = ["work"]')
    out, page = tmp_path / "result.json", tmp_path / "page.html"
    done = whyfast("run", study, "--benchmark", "work", "--json", out, "--html", page, "-v")
    result = json.loads(out.read_text())["data"]
    (counted,) = result["found"]["counted"]
    assert counted["benchmark"] == "work"
    assert counted["source"] == "simulated"
    assert counted["hot"][0]["name"] == "hot"
    assert counted["hot"][0]["places"][0]["size"] > 0
    executed = _instructions(result)
    assert executed["cold-changed"] == executed["first"]
    assert executed["hot-changed"] / executed["first"] == pytest.approx(1.1, abs=0.03)
    stated = {t["variant"]: t for t in result["found"]["changed"]}
    assert stated["cold-changed"]["statement"] == "the change touches no hot function"
    assert stated["cold-changed"]["functions"] == ["cold (p.c)"]
    assert stated["hot-changed"]["hot"] == ["hot"]
    flat = " ".join(done.stdout.split())
    assert "cold (p.c)" in flat
    assert "cold (p.c)" in page.read_text()

    # What was counted is in the report of the kept result, too.
    assert "cold (p.c)" in whyfast("report", study, "-v").stdout


def test_a_change_that_is_named(own_home: Home, tmp_path: Path, repository: Path) -> None:
    study = _write(tmp_path, repository, 'change = "v1..v9"')
    failed = whyfast("run", study, code=2)
    assert "evidence.change: has no commit 'v9'" in failed.stderr
    study = _write(tmp_path, repository, 'change = "v2..v3"\ncounted = ["whole"]')
    failed = whyfast("run", study, "--only", "cold-changed", code=2)
    assert "no variant is built from v3" in failed.stderr
