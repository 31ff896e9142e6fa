"""``whyfast explain --run`` on real programs."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from whyfast.cli.main import main

SOURCE = """
#include <stdlib.h>
__attribute__((noinline)) unsigned hot(unsigned n)
{
    unsigned x = 1;
    for (unsigned i = 0; i < n; i++) x = x * 1009 + STEP;
    return x;
}
int main(int argc, char **argv) { return argc == 2 ? hot(atoi(argv[1])) == 3 : 9; }
"""


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    if not (shutil.which("valgrind") and shutil.which("gcc")):
        pytest.skip("needs valgrind and gcc")
    monkeypatch.setenv("COLUMNS", "150")
    made = []
    for name, step in (("one", "i"), ("two", "(i % 7)")):
        (tmp_path / "p.c").write_text(SOURCE)
        program = tmp_path / name
        argv = ["gcc", "-O1", "-g", f"-DSTEP={step}", str(tmp_path / "p.c"), "-o", str(program)]
        subprocess.run(argv, check=True)
        made.append(str(program))
    return made


def test_counters_and_hot_functions(
    programs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "facts.json"
    assert main(["explain", *programs, "--run", "50000", "--json", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "Simulated, not measured (callgrind of valgrind" in printed
    assert "Hot functions" in printed
    document = json.loads(out.read_text())["data"]
    assert [c["variant"] for c in document["counts"]] == ["one", "two"]
    first = document["hot"][0]
    assert first["name"] == "hot"
    assert first["shares"][0] > 0.5
    assert first["costs"][1] > first["costs"][0]
    assert first["places"][0]["size"] > 0
    assert document["overlap"][0]["functions"] == 1
    for counter in document["counts"][0]["counters"]:
        assert counter["source"] in ("measured", "simulated")
        assert counter["value"] is not None or counter["note"]


def test_what_commits_touch(
    programs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if shutil.which("git") is None:
        pytest.skip("needs git")

    def git(*arguments: str) -> None:
        who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        subprocess.run(["git", "-C", str(tmp_path), *who, *arguments], check=True)

    git("init", "-q")
    for text in (SOURCE.replace(": 9", ": 8"), SOURCE):
        (tmp_path / "p.c").write_text(text)
        git("add", "p.c")
        git("commit", "-q", "-m", "change")
    out = tmp_path / "facts.json"
    run = ["explain", programs[0], "--run", "50000", "--repo", str(tmp_path), "--json", str(out)]
    assert main([*run, "--commits", "HEAD~1..HEAD"]) == 0
    assert "the change touches no hot function; functions touched: main" in capsys.readouterr().out
    assert json.loads(out.read_text())["data"]["touched"]["hot"] == []
    assert main([*run, "--commits", "HEAD~1"]) == 2
    assert "BASE..HEAD" in capsys.readouterr().err
    assert main(["explain", programs[0], "--commits", "a..b"]) == 2
    assert "--commits" in capsys.readouterr().err


def test_a_program_that_fails(programs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", programs[0], "--run", "", "--profiler", "cachegrind"]) == 1
    assert "the program ended with exit code 9" in capsys.readouterr().out


def test_a_program_is_no_arguments(programs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    one, two = programs
    assert main(["explain", "--run", one, two]) == 2
    said = capsys.readouterr()
    assert f"--run '' {one} {two}" in said.err
    assert said.out == ""
    # As an argument of a program, which fails with other numbers of them.
    assert main(["explain", two, "--run", f"{one} ", "--profiler", "cachegrind"]) == 0
