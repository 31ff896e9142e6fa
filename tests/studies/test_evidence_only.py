"""A study whose machine code is read, in full or beside what is measured."""

import json
import shutil
from pathlib import Path

import pytest
from tests.studies.test_run import whyfast

from whyfast.store.home import Home

#: A loop whose dispatch gcc replicates when it optimises, and not else.
LOOP = """\
int run(const unsigned char *p)
{
    static void *const to[] = {&&stop, &&up, &&down, &&twice};
    int x = 0;
#define NEXT goto *to[*p++ & 3]
    NEXT;
up: x++; NEXT;
down: x--; NEXT;
twice: x += x; NEXT;
stop: return x;
}
#ifdef MAIN
#ifdef OTHER
int started;
#define START started++,
#else
#define START
#endif
int main(void) { return START run((const unsigned char *)"\\1\\1\\3\\0") != 4; }
#endif
"""

STUDY = """\
[study]
title = "Is it slower?"
baseline = "base"
[source]
path = "src"
[build]
steps = ["{cc} {cflags} -DMAIN -o {program} {source}/loop.c"]
program = "vm"
[build.evidence]
steps = ["{cc} {cflags} -c {source}/loop.c"]
object = "loop.o"
[variant.base]
toolchain = "path:gcc"
cflags = ["-O2"]
[variant.other]
extends = "base"
cflags.add = ["-DOTHER"]
[variant.plain]
extends = "base"
cflags = ["-O0"]
evidence_only = true
[benchmarks.whole]
command = ["{program}"]
[quick]
variants = ["other"]
budget = "2s"
[evidence]
dispatch = ["run"]
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """The folder of the study."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    (tmp_path / "loop" / "src").mkdir(parents=True)
    (tmp_path / "loop" / "src" / "loop.c").write_text(LOOP)
    (tmp_path / "loop" / "study.toml").write_text(STUDY)
    return tmp_path / "loop"


def test_all_is_read_and_nothing_measured(own_home: Home, study: Path, tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    done = whyfast("run", study, "--evidence-only", "--json", out)
    result = json.loads(out.read_text())["data"]
    assert [e["variant"] for e in result["found"]["evidence"]] == ["base", "other", "plain"]
    assert [e["dispatch"]["indirect_jumps"] for e in result["found"]["evidence"]] == [4, 4, 1]
    assert result["judged"]["verdicts"] == []
    assert result["recorded"]["blocks"] == []
    assert "measuring" not in done.stderr
    programs = {Path(b["program"]).name for b in result["recorded"]["builds"]}
    assert programs == {"loop.o"}


def test_one_variant_beside_measured_ones(own_home: Home, study: Path, tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    done = whyfast("run", study, "--budget", "2s", "--json", out, "-v")
    result = json.loads(out.read_text())["data"]
    assert {v["variant"] for v in result["judged"]["verdicts"]} == {"other"}
    assert {v for b in result["recorded"]["blocks"] for v in b["values"]} == {"base", "other"}
    shown = {e["variant"]: e["dispatch"]["indirect_jumps"] for e in result["found"]["evidence"]}
    assert shown == {"base": 4, "other": 4, "plain": 1}
    assert "plain is evidence only" in done.stdout
    again = whyfast("run", study, "--quick", "--json", out)
    assert [b["variant"] for b in json.loads(out.read_text())["data"]["recorded"]["builds"]] == [
        "base",
        "other",
    ]
    assert "evidence only" not in again.stdout


def test_plan_says_what_quick_is(own_home: Home, study: Path) -> None:
    said = whyfast("run", study, "--quick", "--dry-run").stdout
    assert "plain" not in said
    assert "measuring takes 2.00 s or until all is decided" in said
    whole = whyfast("plan", study).stdout
    assert "plain (evidence)" in whole
    assert "measuring takes 1 min or until all is decided" in whole
