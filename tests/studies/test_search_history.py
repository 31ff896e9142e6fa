"""A history with a known answer, end to end: a culprit of 12 %, a decoy that only moves code,
commits that do not build, a merged branch, and a revert. The program simulates its times."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.studies.commit_study import Repository, write_commit_study
from tests.studies.searches import searched
from tests.studies.test_run import whyfast

from whyfast.store.home import Home

PACED = Path(__file__).resolve().parents[1] / "known" / "paced" / "paced.c"

#: Commits of the line of first parents, by number.
DECOY, BROKEN, CULPRIT, MERGE, REVERT, LAST = 4, (7, 8), 11, 15, 18, 20
#: What the branch that is merged has: four commits, the third of which costs 10 %.
BRANCH, GUILTY = 4, 3


class History(Repository):
    """The program in its versions, each a tag."""

    steps, moved, broken = 60000, False, False

    def commit(self, subject: str) -> None:
        lines = [f"#define STEPS {self.steps}", f"/* revision {self.count + 1} */"]
        lines += ["#define MOVED 1"] * self.moved + ["#error does not build"] * self.broken
        (self.folder / "paced.c").write_text("\n".join([*lines, PACED.read_text()]))
        super().commit(subject)
        self.git("tag", subject.replace(" ", "-"))


#: How the program is built.
BUILD = """
steps = ["{cc} {cflags} -c {source}/paced.c"]
link = "{cc} -o {program} paced.o {layout} {ldflags}"
program = "paced"
"""


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = History(tmp_path_factory.mktemp("history") / "repository")
    for number in range(LAST + 1):
        if number == DECOY:
            made.moved = True
        if number == CULPRIT:
            made.steps = made.steps * 112 // 100
        if number == REVERT:
            made.steps = 60000
        if number == MERGE:
            made.git("checkout", "-q", "-b", "side", "main~2")
            for one in range(1, BRANCH + 1):
                made.steps = made.steps * 110 // 100 if one == GUILTY else made.steps
                made.commit(f"side {one}")
            made.git("checkout", "-q", "main")
            made.git("merge", "-q", "--no-ff", "-s", "ours", "--no-commit", "side")
        made.broken = number in BROKEN
        made.commit(f"change {number}")
    return made.folder


@pytest.fixture
def study(tmp_path: Path, repository: Path, own_home: Home) -> Path:
    cflags = '"-O1", "-ffunction-sections", "-fno-toplevel-reorder"'
    measure = "layouts = 12\nturns = 2"
    folder = tmp_path / "study"
    write_commit_study(folder, repository, BUILD, cflags=cflags, measure=measure)
    # Placement makes 4 %: to tell less from nothing would take many layouts.
    text = (folder / "study.toml").read_text()
    (folder / "study.toml").write_text(text.replace("[source]", "margin = 0.03\n[source]"))
    return folder


def test_the_culprit_is_found_behind_a_decoy(study: Path, own_home: Home) -> None:
    found, _ = searched(study, "change-0", "change-14", own_home)
    assert found["answer"]["outcome"] == "culprit"
    assert found["answer"]["where"]["first"] == CULPRIT
    assert f"change {CULPRIT}" in found["headline"]
    step = found["answer"]["step"]
    assert step["low"] < 0.1133 < step["high"]  # log 1.12
    assert [f["name"] for f in found["evidence"]["code"]["functions"]] == ["work"]
    assert set(found["state"]["skipped"]) <= {str(n) for n in BROKEN}


@pytest.mark.parametrize(
    ("good", "bad", "outcome"),
    [(0, 6, "placement"), (DECOY, LAST, "none")],
    ids=["a decoy alone", "reverted"],
)
def test_there_is_no_step(study: Path, own_home: Home, good: int, bad: int, outcome: str) -> None:
    found, _ = searched(study, f"change-{good}", f"change-{bad}", own_home)
    assert found["answer"]["outcome"] == outcome


def test_a_merge_is_followed_into_its_branch(study: Path, own_home: Home) -> None:
    file = study / "study.toml"  # layouts are what the tests above draw
    file.write_text(file.read_text().replace("layouts = 12\n", ""))
    found, _ = searched(study, f"change-{CULPRIT}", f"change-{REVERT - 1}", own_home)
    assert found["candidates"][found["answer"]["where"]["first"]]["title"].endswith(
        f"change {MERGE}"
    )
    (branch,) = found["further"]
    where = branch["answer"]["where"]["first"]
    assert branch["candidates"][where]["title"].endswith(f"side {GUILTY}")
    assert branch["evidence"]
    assert found["evidence"] is None
    assert f"side {GUILTY}" in found["headline"]
    assert " merge " in found["headline"]


#: Prints the steps of a commit, a count that takes no time.
COUNTED = ("--number", "--", "sh", "-c", "grep -o 'STEPS [0-9]*' paced.c | head -1")


def test_all_steps_are_found_on_demand(own_home: Home, repository: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    asked = ("search", "--repo", repository, "--good", "change-4", "--bad", "change-17", "--all")
    done = whyfast(*asked, "--json", out, *COUNTED)
    titles = set()

    def gather(result: dict[str, Any]) -> None:
        if result["answer"]["outcome"] == "culprit":
            titles.add(result["candidates"][result["answer"]["where"]["first"]]["title"][19:])
        for one in result["further"]:
            gather(one)

    gather(json.loads(out.read_text())["data"])
    assert titles == {f"change {CULPRIT}", f"change {MERGE}", f"side {GUILTY}"}
    assert "The step explains only part of the difference" in " ".join(done.stdout.split())
