"""The shell steps of action.yml, run in the environment that a runner gives them."""

import os
import re
import subprocess
from pathlib import Path

import pytest

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


def run(name: str, tmp_path: Path, **env: str) -> str:
    """What a step printed, with the options that a runner gives to bash."""
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step(name)],
        env={"PATH": os.environ["PATH"], "RUNNER_TEMP": str(tmp_path), **env},
        cwd=tmp_path,
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
    assert said.splitlines() == [f"{tmp_path}/whyfast-home", "check", *words]


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
    assert "${{" not in step("Check") + step("Install whyfast")


def test_every_input_is_used_and_documented() -> None:
    declared = re.findall(r"^  ([a-z-]+):\n    description", ACTION, re.MULTILINE)
    assert declared == ["base", "head", "study", "budget", "margin", "fail-on", "version"]
    page = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    for name in declared:
        assert f"inputs.{name}" in ACTION
        assert f"`{name}`" in page
