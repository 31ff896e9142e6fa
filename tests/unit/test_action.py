"""The shell steps of action.yml, run in the environment that a runner gives them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from whyfast.model.codec import dump

ROOT = Path(__file__).parents[2]
ACTION = (ROOT / "action.yml").read_text(encoding="utf-8")


def step(name: str) -> str:
    found = re.search(
        rf"- name: {name}\n(?:(?!    - ).*\n)*?      run: \|\n((?:        .*\n)+)", ACTION
    )
    assert found is not None
    return "".join(line[8:] for line in found[1].splitlines(keepends=True))


def script(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{text}")
    (folder / name).chmod(0o755)


def run(name: str, tmp_path: Path, *, folder: str = "", **env: str) -> str:
    """What a step printed, with the options that a runner gives to bash."""
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step(name)],
        env={"PATH": os.environ["PATH"], "RUNNER_TEMP": str(tmp_path), **env},
        cwd=tmp_path / folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({}, ["--github", "--budget", "5m"]),
        (
            {"BASE": "abc", "MARGIN": "2%", "FAIL_ON": "slower"},
            [
                *("--github", "--budget", "5m", "--margin", "2%"),
                "--fail-on",
                "slower",
                "abc...HEAD",
            ],
        ),
        (
            {"HEAD": "def", "STUDY": "my perf"},
            ["--github", "--budget", "5m", "--study", "my perf", "...def"],
        ),
    ],
    ids=["nothing", "a pull request", "a study"],
)
def test_inputs_become_arguments(tmp_path: Path, inputs: dict[str, str], words: list[str]) -> None:
    script(tmp_path / "whyfast" / "bin", "whyfast", 'printf "%s\\n" "$WHYFAST_HOME" "$@"')
    empty = dict.fromkeys(("BASE", "HEAD", "STUDY", "MARGIN", "FAIL_ON"), "")
    said = run("Check", tmp_path, **{**empty, "BUDGET": "5m", **inputs})
    files = ["--markdown", f"{tmp_path}/whyfast.md", "--append", f"{tmp_path}/whyfast.jsonl"]
    wanted = [*words[:3], *files, *words[3:]]
    assert said.splitlines() == [f"{tmp_path}/whyfast-home", "check", *wanted]


@pytest.mark.parametrize(
    ("version", "wanted"), [("", "/the/action"), ("whyfast==0.1", "whyfast==0.1")]
)
def test_what_is_installed(tmp_path: Path, version: str, wanted: str) -> None:
    made = (
        'mkdir -p "$3/bin"; echo \'#!/bin/sh\' > "$3/bin/pip"; '
        'echo \'echo "$@"\' >> "$3/bin/pip"; chmod +x "$3/bin/pip"'
    )
    script(tmp_path / "tools", "python3", made)
    path = f"{tmp_path}/tools:{os.environ['PATH']}"
    said = run("Install whyfast", tmp_path, PATH=path, VERSION=version, ACTION="/the/action")
    assert said.split() == ["install", "--quiet", wanted]


def test_inputs_never_stand_inside_of_a_script() -> None:
    """What a pull request can choose must not become shell."""
    names = re.findall(r"^    - name: (.+)$", ACTION, re.MULTILINE)
    assert names == ["Install whyfast", "Keep builds", "Check", "Comment", "Trend"]
    for name in {*names} - {"Keep builds"}:
        assert "${{" not in step(name)


def test_every_input_is_used_and_documented() -> None:
    declared = re.findall(r"^  ([a-z-]+):\n    description", ACTION, re.MULTILINE)
    assert declared == [
        *("base", "head", "study", "budget", "margin", "fail-on", "token", "trend", "version"),
    ]
    page = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    for name in declared:
        assert f"inputs.{name}" in ACTION
        assert f"`{name}`" in page


#: In place of GitHub: comments are files with their numbers, and every call is noted.
GH = """#!/usr/bin/env python3
import json, pathlib, sys
here = pathlib.Path(sys.argv[0]).parent
words = sys.argv[2:]
method = words[words.index("--method") + 1] if "--method" in words else "GET"
path = next(w for w in words if w.startswith("repos/"))
kept = here / "comments.json"
comments = json.loads(kept.read_text()) if kept.exists() else [[7, "of a person"]]
if method == "GET":
    assert path == "repos/o/p/issues/3/comments"
    mark = words[words.index("--jq") + 1].split('"')[1]
    print(*(i for i, text in comments if text.startswith(mark)), sep="\\n")
else:
    body = pathlib.Path(words[words.index("--field") + 1].removeprefix("body=@")).read_text()
    if method == "POST":
        comments.append([len(comments) + 7, body])
    else:
        number = int(path.rsplit("/", 1)[1])
        comments = [[i, body if i == number else text] for i, text in comments]
kept.write_text(json.dumps(comments))
"""


def test_a_comment_is_updated_instead_of_repeated(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "gh").write_text(GH)
    (tmp_path / "tools" / "gh").chmod(0o755)
    path = f"{tmp_path}/tools:{os.environ['PATH']}"
    env = {"PATH": path, "GH_TOKEN": "t", "PULL": "3", "GITHUB_REPOSITORY": "o/p"}
    run("Comment", tmp_path, **env)  # nothing was checked
    for text in ("2 % slower\n", "the same\n"):
        (tmp_path / "whyfast.md").write_text(text)
        run("Comment", tmp_path, **env)
    assert json.loads((tmp_path / "tools" / "comments.json").read_text()) == [
        [7, "of a person"],
        [8, "<!-- whyfast check -->\nthe same\n"],
    ]


def check_line(seconds: float, head: str) -> str:
    entry = {"outcome": "same", "ratio": 1.0, "seconds": {"base": seconds, "head": seconds}}
    data = {"head": head, "base": "b", "date": f"2026-01-0{head[-1]}T00:00:00+00:00", "same": False}
    return dump("check", {**data, "benchmarks": {"parse": entry}}, levels=0)


def test_a_trend_grows_on_its_branch(tmp_path: Path) -> None:
    def git(*words: str, at: str = "work") -> str:
        named = ["-c", "user.name=n", "-c", "user.email=e"]
        argv = ["git", *named, "-C", str(tmp_path / at), *words]
        return subprocess.run(argv, check=True, capture_output=True, text=True).stdout

    for folder in ("origin", "work", "whyfast/bin"):
        (tmp_path / folder).mkdir(parents=True)
    git("init", "-q", "--bare", at="origin")
    git("init", "-q")
    git("remote", "add", "origin", str(tmp_path / "origin"))
    (tmp_path / "work" / "program.c").write_text("int main(void) { return 0; }")
    git("add", "-A")
    git("commit", "-q", "-m", "start")
    script(tmp_path / "whyfast" / "bin", "whyfast", f'exec {sys.executable} -m whyfast "$@"')
    for i, seconds in enumerate((1.0, 1.01, 0.99, 1.0, 2.0, 2.02)):
        (tmp_path / "whyfast.jsonl").write_text(check_line(seconds, f"c{i}"))
        run("Trend", tmp_path, folder="work", TREND="performance")
        git("worktree", "remove", str(tmp_path / "whyfast-trend"))  # the next runner has none
        if i == 0:
            git("branch", "-D", "whyfast-trend")
    files = git("ls-tree", "--name-only", "performance", at="origin").split()
    assert files == ["checks.jsonl", "index.html"]
    assert len(git("show", "performance:checks.jsonl", at="origin").splitlines()) == 6
    assert "c4" in git("show", "performance:index.html", at="origin")
    assert git("rev-list", "--count", "performance", at="origin").strip() == "6"
