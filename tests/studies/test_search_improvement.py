"""An improvement is searched for as a loss is, whichever end is older."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.studies.commit_study import Repository, write_commit_study
from tests.studies.test_run import whyfast

from whyfast.store.home import Home

#: Of the first parents, the merge whose branch makes it faster, and the last one.
MERGE, LAST = 5, 8

BUILD = """
steps = ["{cc} -O1 {cflags} -o {program} {source}/work.c {ldflags}"]
program = "work"
"""


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The merged branch has three commits; with its second the program does a quarter less."""
    made = Repository(tmp_path_factory.mktemp("improvement") / "repository")

    def commit(subject: str, steps: int) -> None:
        text = "#include <stdio.h>\nint main(void) {{\n    unsigned state = 1;\n"
        text += "    for (int i = 0; i < {0}; i++) state = state * 1664525u + 1013904223u;\n"
        text += '    printf("{0}\\n"); /* {1} */\n    return state == 0;\n}}\n'
        (made.folder / "work.c").write_text(text.format(steps, subject))
        made.commit(subject)
        made.git("tag", subject.replace(" ", "-"))

    for number in range(LAST + 1):
        if number == MERGE:
            made.git("checkout", "-q", "-b", "side", "main~2")
            for one in (1, 2, 3):
                commit(f"side {one}", 1_500_000 if one >= 2 else 2_000_000)
            made.git("checkout", "-q", "main")
            made.git("merge", "-q", "--no-ff", "-s", "ours", "--no-commit", "side")
        commit(f"change {number}", 1_500_000 if number >= MERGE else 2_000_000)
    return made.folder


OLD, NEW = "change-0", f"change-{LAST}"


@pytest.mark.parametrize("ends", [("--good", NEW, "--bad", OLD), ("--from", NEW, "--to", OLD)])
def test_a_command_is_searched_for_what_made_it_faster(
    own_home: Home, repository: Path, tmp_path: Path, ends: tuple[str, ...]
) -> None:
    done, found = _by_command(repository, tmp_path, *ends)
    assert done.startswith("Made faster by '")
    assert " side 2'" in done.split(", which is 1.33x faster")[0]
    assert (found["answer"]["outcome"], found["backwards"]) == ("culprit", True)
    (branch,) = found["further"]
    assert (branch["why"], branch["backwards"]) == ("merged branch", True)
    assert not list(own_home.cache.glob("checkouts/*"))


def test_equal_ends_are_the_answer(own_home: Home, repository: Path, tmp_path: Path) -> None:
    done, found = _by_command(repository, tmp_path, "--from", OLD, "--to", "change-3")
    assert done.startswith("There is no step: ")
    assert found["answer"]["outcome"] == "none"
    assert found["state"]["built"] == []


def test_a_loss_whichever_end_is_fast(own_home: Home, repository: Path, tmp_path: Path) -> None:
    """Reverted in a clone, the merge is what made it slower."""
    made = Repository.__new__(Repository)
    made.folder, made.count = tmp_path / "clone", 20
    shutil.copytree(repository, made.folder)
    made.git("checkout", "-q", "change-4", "--", "work.c")
    for number in (9, 10):
        (made.folder / "notes").write_text(str(number))
        made.commit(f"change {number}")
    done, found = _by_command(made.folder, tmp_path, "--from", "main", "--to", NEW)
    assert done.startswith("Made slower by '")
    assert " change 9'" in done.split(", which is 1.33x slower")[0]
    assert found["backwards"] is False


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind counts the instructions")
def test_a_study_is_searched_for_what_made_it_execute_less(
    own_home: Home, repository: Path, tmp_path: Path
) -> None:
    study, out = write_commit_study(tmp_path / "study", repository, BUILD), tmp_path / "out.json"
    text = (study / "study.toml").read_text().replace('runner = "turn"', 'runner = "command"')
    (study / "study.toml").write_text(text)
    done = whyfast(
        *("search", study, "--from", "change-4", "--to", "change-6"),
        *("--measure", "instructions", "--json", out),
    )
    found = json.loads(out.read_text())["data"]
    assert " side 2' has 1.3" in " ".join(done.stdout.split())
    assert " fewer instructions than its parent" in " ".join(done.stdout.split())
    (branch,) = found["further"]
    (change,) = branch["evidence"]["reaches"]
    before, after = change["instructions"]
    assert before / after == pytest.approx(4 / 3, rel=0.02)
    assert branch["evidence"]["files"] == ["work.c"]


def _by_command(repository: Path, tmp_path: Path, *ends: str) -> tuple[str, dict[str, Any]]:
    """The first screen and the JSON."""
    out = tmp_path / "search.json"
    build = ("--build", "gcc -O1 -o work work.c", "--", "./work")
    done = whyfast("search", "--repo", repository, *ends, "--number", "--json", out, *build)
    return " ".join(done.stdout.split()), json.loads(out.read_text())["data"]
