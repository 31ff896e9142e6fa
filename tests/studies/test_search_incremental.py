"""A search over commits of a real make project, each built from what the last one left."""

import json
import re
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.studies.commit_study import Repository, write_commit_study
from tests.studies.known_study import SPIN
from tests.studies.test_run import whyfast

from whyfast.store.builds import BuildStore
from whyfast.store.home import Home

#: Commit 5 makes the program larger; every commit changes one file, none of them ``same``.
CULPRIT, COMMITS = 5, 8
PARTS = ("spin", "one", "two", "three", "same")
MAKEFILE = """\
spin: spin.o one.o two.o three.o same.o
\t$(CC) -o $@ $^
"""


#: How the program is built.
BUILD = """
steps = ["make -C {source} CC=gcc CFLAGS='-O2 -I../{include}'"]
program = "src/spin"
incremental = true
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    made = Repository(tmp_path / "repository")
    folder = made.folder
    (folder / "Makefile").write_text(MAKEFILE)
    spin = "#define STEPS 10000\n" + (SPIN / "spin.c").read_text()
    texts = {p: f"int {p}(void) {{ return 0; }}\n" for p in PARTS[1:]} | {"spin": spin}
    for part, text in texts.items():
        (folder / f"{part}.c").write_text(text)
    for number in range(COMMITS + 1):
        part = PARTS[0] if number == CULPRIT else PARTS[1 + number % 3]
        head = "char more[9000] = {1};\n" if number == CULPRIT else f"/* revision {number} */\n"
        (folder / f"{part}.c").write_text(head + texts[part])
        made.commit(f"change {number}")
    made.git("tag", "fast", f"HEAD~{COMMITS}")
    return folder


def test_only_what_changed_is_compiled_and_the_final_two_are_clean(
    own_home: Home, repository: Path, tmp_path: Path
) -> None:
    study = write_commit_study(tmp_path / "study", repository, BUILD)
    out = tmp_path / "search.json"
    ends = ("--good", "fast", "--bad", "main", "--measure", "size")
    done = whyfast("search", study, *ends, "--json", out, "-v")
    found: dict[str, Any] = json.loads(out.read_text())["data"]
    assert found["answer"]["outcome"] == "culprit"
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


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("valgrind"), reason="counts by Valgrind")
def test_flags_share_a_folder_and_the_answer_is_clean(own_home: Home, tmp_path: Path) -> None:
    source, study, out = tmp_path / "source", tmp_path / "study", tmp_path / "search.json"
    shutil.copytree(SPIN.parent / "parts", source)
    objects = " ".join(f"{p.stem}.o" for p in sorted(source.glob("*.c")))
    (source / "Makefile").write_text(f"parts: {objects}\n\t$(CC) -o $@ $^\n")
    study.mkdir()
    (study / "study.toml").write_text(
        f"""
[study]
title = "Which flag?"
baseline = "fast"
[source]
path = "{source}"
[build]
steps = ["make -C {{source}} CC=gcc CFLAGS='{{cflags}}'"]
program = "src/parts"
[variant.fast]
toolchain = "path:gcc"
cflags = ["-O2"]
[variant.slow]
extends = "fast"
cflags.add = ["-fno-gcse", "-fno-ipa-icf", "-fno-inline", "-fno-tree-vrp", "-falign-loops=32"]
[benchmarks.parts]
runner = "command"
command = ["{{program}}"]
"""
    )
    ends = ("--good", "fast", "--bad", "slow", "--measure", "instructions")
    done = whyfast("search", study, "--axis", "flags", "--incremental", *ends, "--json", out)
    found = json.loads(out.read_text())["data"]
    assert [found["differences"][d] for (d,) in found["answer"]["parts"]] == ["-fno-inline"]
    assert "not built incrementally" not in done.stderr
    clean = {
        tuple(build.provenance["inputs"]["cflags"])
        for build in BuildStore(own_home.builds).all()
        if not build.provenance["inputs"].get("incremental")
    }
    assert ("-O2", "-fno-inline") in clean
    assert len(clean) < len(list(BuildStore(own_home.builds).all()))


def test_where_it_makes_no_sense_it_is_bad_input(own_home: Home, repository: Path) -> None:
    ends = ("--repo", repository, "--good", "fast", "--bad", "main", "--incremental")
    done = whyfast("search", *ends, "--", "true", code=2)
    assert "--incremental: a command's checkouts" in done.stderr
    done = whyfast("search", *ends, "--axis", "objects", "x", code=2)
    assert "--incremental: only for" in done.stderr
