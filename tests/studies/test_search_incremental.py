"""A search over commits of a real make project, each built from what the last one left."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.studies.known_study import SPIN
from tests.studies.test_run import whyfast

from whyfast.store.builds import BuildStore
from whyfast.store.home import Home

#: Commit 5 makes the program do more work; every commit changes one file, none of them ``same``.
CULPRIT, COMMITS = 5, 8
PARTS = ("spin", "one", "two", "three", "same")
MAKEFILE = """\
spin: spin.o one.o two.o three.o same.o
\t$(CC) -o $@ $^
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()

    def git(*arguments: str) -> None:
        settings = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        dates = {f"GIT_{who}_DATE": "2026-01-01T00:00:00Z" for who in ("AUTHOR", "COMMITTER")}
        command = ["git", "-C", str(folder), *settings, *arguments]
        subprocess.run(command, check=True, env={**os.environ, **dates})

    git("init", "-q", "-b", "main")
    (folder / "Makefile").write_text(MAKEFILE)
    spin = (SPIN / "spin.c").read_text()
    texts = {p: f"int {p}(void) {{ return 0; }}\n" for p in PARTS[1:]} | {"spin": spin}
    for part, text in texts.items():
        (folder / f"{part}.c").write_text(text)
    for number in range(COMMITS + 1):
        part = PARTS[0] if number == CULPRIT else PARTS[1 + number % 3]
        head = "#define STEPS 11200\n" if number == CULPRIT else f"/* revision {number} */\n"
        if number == 0:
            (folder / "spin.c").write_text(f"#define STEPS 10000\n{spin}")
        (folder / f"{part}.c").write_text(head + texts[part])
        git("add", ".")
        git("commit", "-q", "-m", f"change {number}")
    git("tag", "fast", f"HEAD~{COMMITS}")
    return folder


@pytest.mark.skipif(not shutil.which("valgrind"), reason="counts by Valgrind")
def test_only_what_changed_is_compiled_and_the_final_two_are_clean(
    own_home: Home, repository: Path, tmp_path: Path
) -> None:
    study, out = tmp_path / "study", tmp_path / "search.json"
    study.mkdir()
    (study / "study.toml").write_text(
        f"""
[study]
title = "Since when?"
baseline = "base"
[source]
git = "{repository}"
revision = "main"
[build]
steps = ["make -C {{source}} CC=gcc CFLAGS='-O2 -I../{{include}}'"]
program = "src/spin"
incremental = true
[variant.base]
toolchain = "path:gcc"
[benchmarks.spin]
runner = "turn"
command = ["{{program}}"]
"""
    )
    ends = ("--good", "fast", "--bad", "main", "--measure", "instructions")
    done = whyfast("search", study, *ends, "--json", out, "-v")
    found: dict[str, Any] = json.loads(out.read_text())
    assert found["answer"]["word"] == "culprit"
    assert found["answer"]["where"]["first"] == CULPRIT
    assert "not built incrementally" not in done.stderr

    used: list[tuple[float, list[str], dict[str, str]]] = []
    clean = {}
    for build in BuildStore(own_home.builds).all():
        log = (build.folder / "log.txt").read_text()
        compiled = sorted(re.findall(r"^gcc .* -c -o (\w+)\.o", log, re.MULTILINE))
        if build.provenance["inputs"].get("incremental"):
            provenance = build.provenance
            used.append((provenance["started"], compiled, provenance["source"]["files"]))
        else:
            clean[build.provenance["variant"]] = compiled
    used.sort(key=lambda one: one[0])
    assert used[0][1] == sorted(PARTS)
    assert len(used) > 1, "two candidates or more were built in the folder"
    for (_, _, before), (_, compiled, now) in pairwise(used):
        assert compiled == sorted(Path(f).stem for f in now if now[f] != before[f])
        assert len(compiled) < len(PARTS)
    # Both ends and the final two, all of them whole.
    names = {"0", str(COMMITS), str(CULPRIT - 1), str(CULPRIT)}
    assert clean == dict.fromkeys(names, sorted(PARTS))


def test_where_it_makes_no_sense_it_is_bad_input(own_home: Home, repository: Path) -> None:
    ends = ("--repo", repository, "--good", "fast", "--bad", "main", "--incremental")
    done = whyfast("search", *ends, "--", "true", code=2)
    assert "--incremental: a command's checkouts are built apart" in done.stderr
    done = whyfast("search", *ends, "--axis", "flags", "x", code=2)
    assert "--incremental: only commits are built from each other" in done.stderr
