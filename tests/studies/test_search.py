"""Searches on a repository made for it: since when a small program is slower, end to end."""

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.studies.commit_study import Repository, write_commit_study
from tests.studies.known_study import SPIN
from tests.studies.searches import searched
from tests.studies.test_run import whyfast
from tests.unit.investigate.doubles import Watcher

from whyfast.investigate.ab_run import Command
from whyfast.investigate.services import Services
from whyfast.model.errors import UserError
from whyfast.model.variant import Benchmark
from whyfast.model.verdict import Verdict
from whyfast.search import requests
from whyfast.search.axes import SearchRequest
from whyfast.search.subject import UserCommand
from whyfast.store.home import Home

#: Commit 13 makes the program do 12 % more work; 5 to 7 do not build; the others change nothing.
CULPRIT, BROKEN, COMMITS = 13, (5, 6, 7), 20


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = Repository(tmp_path_factory.mktemp("repository") / "repository")
    source = (SPIN / "spin.c").read_text()
    for number in range(COMMITS + 1):
        broken = "#error does not build\n" if number in BROKEN else ""
        steps = 11200 if number >= CULPRIT else 10000
        text = f"#define STEPS {steps}\n{broken}/* revision {number} */\n{source}"
        (made.folder / "spin.c").write_text(text)
        made.commit(f"change {number}")
    made.git("tag", "fast", f"HEAD~{COMMITS}")
    return made.folder


#: How the program is built.
BUILD = """
steps = ["{cc} -O2 {cflags} -I{include} -o {program} {source}/spin.c {ldflags}"]
program = "spin"
"""


def test_the_commit_in_a_study(
    own_home: Home, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, Verdict]] = []

    def explain(context: object, benchmark: Benchmark, verdict: Verdict) -> None:
        asked.append((benchmark.name, verdict))

    monkeypatch.setattr(requests, "explain_builds", explain)
    study = write_commit_study(tmp_path / "study", repository, BUILD)
    found, _ = searched(study, "fast", "main", own_home)
    assert found["answer"]["outcome"] == "culprit"
    assert found["answer"]["where"] == {
        "first": CULPRIT,
        "last": CULPRIT,
        "probability": found["answer"]["where"]["probability"],
    }
    assert f"change {CULPRIT}" in found["headline"]
    assert "slower" in found["headline"]
    ((name, verdict),) = asked
    assert (name, verdict.variant, verdict.baseline) == ("turns", "culprit", "parent")
    assert verdict.outcome == "slower"
    assert 1.08 < verdict.ratio < 1.15
    again, heard = searched(study, "fast", "main", own_home)
    assert any(text.startswith("resuming: ") for text in heard)
    assert again["state"] == found["state"]


def test_a_search_beside_the_checkout(
    own_home: Home, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a command. The account is of culprit and parent, each begun in its checkout."""
    asked: list[tuple[str, str]] = []

    def explain(commands: Sequence[Command], *others: object, **named: object) -> None:
        for command in commands:
            _, _, folder, program = shlex.split(command.line)
            steps = (Path(folder) / "spin.c").read_text().splitlines()[0]
            asked.append((command.name, f"{program} of {steps}"))
        raise UserError("not in this test")

    monkeypatch.setattr(requests, "explain_commands", explain)
    include = Path(__file__).parents[2] / "src" / "whyfast" / "turns" / "include"
    (repository / "notes.txt").write_text("mine")
    before = subprocess.check_output(["git", "-C", repository, "status", "--porcelain"], text=True)
    spin = UserCommand(("./spin",), f"gcc -O2 -I{include} -o spin spin.c", repository)
    request, watcher = SearchRequest("commits", "fast", "main"), Watcher()
    result = requests.search_by_command(spin, request, own_home, watcher, Services())
    assert result.answer.where is not None
    assert result.at(result.answer.where.first).title.endswith(f"change {CULPRIT}")
    assert result.evidence is not None
    assert result.evidence.files == ("spin.c",)
    assert not result.evidence.code.same
    assert asked == [
        ("parent", "./spin of #define STEPS 10000"),
        ("culprit", "./spin of #define STEPS 11200"),
    ]
    assert any("not in this test" in text for text in watcher.heard)
    after = subprocess.check_output(["git", "-C", repository, "status", "--porcelain"], text=True)
    assert after == before
    trees = subprocess.check_output(["git", "-C", repository, "worktree", "list"], text=True)
    assert len(trees.splitlines()) == 1


@pytest.mark.skipif(shutil.which("perf") is None, reason="perf samples functions")
def test_a_script_is_searched_and_its_function_named(own_home: Home, tmp_path: Path) -> None:
    made = Repository(tmp_path / "repository")
    for number, size in enumerate((200_000, 200_000, 1_500_000, 1_500_000)):
        text = "def parse(size):\n    return sum(x * x for x in range(size))\n"
        (made.folder / "work.py").write_text(f"{text}\nparse({size})  # {number}\n")
        made.commit(f"change {number}")
    out = tmp_path / "search.json"
    ends = ("search", "--repo", made.folder, "--good", "HEAD~3", "--bad", "HEAD", "--json", out)
    whyfast(*ends, "--", "env", "PYTHONPATH=.", sys.executable, "work.py")
    found = json.loads(out.read_text())["data"]
    assert found["answer"]["where"]["first"] == 2
    evidence = found["evidence"]
    assert evidence["files"] == ["work.py"]
    assert "parse" in json.dumps(evidence["account"]["causes"][0])


#: Of a checkout without a build; each has one line more.
HISTORY = (*("search", "--good", "HEAD~3", "--bad", "HEAD", "--number", "--fresh"), "--")


def test_a_search_from_a_hook_only_reads_the_repository(own_home: Home, tmp_path: Path) -> None:
    """In a linked worktree, where git hands its hook an index; another's disk is not mounted."""
    made = Repository(tmp_path / "repository")
    for number in range(4):
        (made.folder / "cost").write_text(f"{'30000' if number > 1 else '20000'}\n")
        (made.folder / "number").write_text(str(number))
        made.commit(f"change {number}")
    for name in ("linked", "away"):
        made.git("worktree", "add", "-q", "-b", name, str(tmp_path / name))
    (tmp_path / "away").rename(tmp_path / "unmounted")
    hooks = made.folder / ".git/hooks"
    words = [sys.executable, "-m", "whyfast.cli.main", *HISTORY]
    line = shlex.join([*words, "sh", "-c", 'test -z "$GIT_DIR"; git describe --tags; cat cost'])
    made.git("tag", "first", "HEAD~3")
    for name, text in {"pre-commit": line, "post-checkout": f"touch {tmp_path}/ran"}.items():
        (hooks / name).write_text(f"#!/bin/sh\n{text} > {tmp_path}/said 2>&1\n")
        (hooks / name).chmod(0o755)
    linked = tmp_path / "linked"
    (linked / "staged").write_text("mine")
    git = ["git", "-C", str(linked), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "add", "staged"], check=True)
    done = subprocess.run([*git, "commit", "-q", "-m", "with it"], capture_output=True, text=True)
    said = (tmp_path / "said").read_text()
    assert done.returncode == 0, done.stderr + said
    assert "change 2" in said
    assert subprocess.check_output([*git, "ls-files"], text=True).split() == [
        "cost",
        "number",
        "staged",
    ]
    assert not (tmp_path / "ran").exists()
    listed = subprocess.check_output([*git, "worktree", "list"], text=True)
    assert len(listed.splitlines()) == 3  # the repository, linked and away; no checkout of ours
    (tmp_path / "unmounted").rename(tmp_path / "away")
    away = subprocess.check_output(["git", "-C", tmp_path / "away", "log", "--oneline"], text=True)
    assert len(away.splitlines()) == 4
