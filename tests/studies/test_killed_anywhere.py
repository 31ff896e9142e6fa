"""SIGKILL at any moment of ``run``, ``check`` and ``search``: the same command goes on, and nothing
that is half written is ever taken for whole."""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests import warm_process
from tests.studies.commit_study import Repository
from tests.studies.known_study import steps, write_study
from tests.studies.test_check_kinds import C_MAIN, C_WORK
from tests.studies.test_run import whyfast

from whyfast.store.builds import BuildStore
from whyfast.store.files import sha256_of
from whyfast.store.home import Home

pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")


def _run(folder: Path) -> tuple[list[str], Path]:
    variants = {"base": steps(10000), "slow": steps(12000)}
    study = write_study(folder / "spin", variants, measure='budget = "2s"\nstop = "budget"')
    return ["run", str(study)], folder


def _check(folder: Path) -> tuple[list[str], Path]:
    made = Repository(folder / "project")
    (made.folder / "main.c").write_text(C_MAIN)
    (made.folder / "work.c").write_text(C_WORK)
    whyfast("new", "--source", made.folder)
    made.commit("before")
    (made.folder / "work.c").write_text(C_WORK.replace("i * 3", "i * 5"))
    made.commit("after")
    return ["check", "HEAD~1..HEAD", "--budget", "3s", "--study", str(made.folder)], made.folder


def _search(folder: Path) -> tuple[list[str], Path]:
    made = Repository(folder / "project")
    for number in range(8):
        (made.folder / "count").write_text(f"{3 if number < 5 else 4} {number}\n")
        made.commit(f"change {number}")
        made.git("tag", f"change-{number}")
    asked = ["search", "--repo", str(made.folder), "--good", "change-0", "--bad", "change-7"]
    # A count that takes a while, so that there are moments to be killed in.
    count = "sleep 0.1; cut -d' ' -f1 count"
    return [*asked, "--number", "--", "sh", "-c", count], made.folder


COMMANDS = {"run": _run, "check": _check, "search": _search}


def _sound(home: Home, out: Path, repository: Path) -> None:
    """The store opens, every build that it lists is the one that was recorded, and the JSON is
    whole if it is there."""
    if home.database.exists():
        with sqlite3.connect(home.database) as database:
            assert database.execute("pragma integrity_check").fetchone() == ("ok",)
        database.close()
    if home.builds.exists():
        for build in BuildStore(home.builds).all():
            program = build.folder / "work" / build.provenance["program"]
            assert sha256_of(program) == build.provenance["program_sha256"]
    if out.exists():
        json.loads(out.read_text())
    if (repository / ".git").is_dir():
        status = ["git", "-C", str(repository), "status", "--porcelain"]
        assert subprocess.run(status, check=True, capture_output=True).stdout == b""


def _killed(
    make: Callable[[Path], tuple[list[str], Path]], home: Home, folder: Path, kills: int
) -> None:
    command, repository = make(folder)
    out = folder / "out.json"
    cut = command.index("--") if "--" in command else len(command)
    command, after = [*command[:cut], "--json", str(out)], command[cut:]
    words = [*command, *after]
    rng = random.Random(1)
    within = 2.0
    for _ in range(kills):
        with (folder / "said").open("w+b") as err, open(os.devnull, "wb") as out_of_sight:
            process = warm_process.Command(words, out_of_sight, err, cwd=repository)
            started = time.monotonic()
            try:
                process.wait(rng.uniform(0.0, within))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            else:  # it came to its end: from here on it is begun anew, and killed earlier
                within = max(0.5, time.monotonic() - started)
        said = (folder / "said").read_text()
        assert "Traceback" not in said
        assert process.returncode in (0, -signal.SIGKILL), said
        _sound(home, out, repository)
    whyfast(*words, cwd=repository)
    _sound(home, out, repository)
    found = json.loads(out.read_text())["data"]
    if command[0] == "run":
        assert found["judged"]["verdicts"][0]["outcome"] == "slower"
    if command[0] == "search":
        assert found["answer"]["where"]["first"] == 5


#: In ``run``, test_killed.py does it six times.
@pytest.mark.parametrize("command", ["check", "search"])
def test_three_moments(command: str, own_home: Home, tmp_path: Path) -> None:
    _killed(COMMANDS[command], own_home, tmp_path, 3)


@pytest.mark.long
@pytest.mark.parametrize("command", COMMANDS)
def test_fifty_moments(command: str, own_home: Home, tmp_path: Path) -> None:
    _killed(COMMANDS[command], own_home, tmp_path, 50)
