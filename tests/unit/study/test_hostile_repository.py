"""``whyfast new`` in a repository that wants to do harm: nothing of it is run or waited for, and
nothing gets into the study but names that are harmless there."""

import os
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import refusal

from whyfast.cli.main import main
from whyfast.model.errors import UserError
from whyfast.study.load import load_study
from whyfast.study.skeleton import KINDS

MAIN = "int main(void) { return 0; }\n"
NAMES = (
    "a\n[build]\nsteps = ['touch owned']\n#.c",
    "\x1b[2Jb.c",
    "$(touch owned).c",
    "`touch owned`.c",
    "c; touch owned.c",
    "-o.c",
    "\udcff.c",
    "'''.c",
    '".c',
)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def _written(code: int) -> str:
    assert code == 0
    assert not Path("owned").exists()
    return Path("whyfast.toml").read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_file_names_stay(repository: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / "main.c").write_text(MAIN)
    (repository / name).write_text(MAIN)  # another program, which a comment names
    text = _written(main(["new"]))
    study = load_study("whyfast.toml")
    assert study.build.steps == (
        "{cc} {cflags} -I{source} -o {program} {source}/main.c {ldflags} -lm",
    )
    assert set(tomllib.loads(text)) == {"study", "build", "variant", "benchmarks"}
    assert all(c.isprintable() for c in text.replace("\n", ""))
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_a_build_step_cannot_hold(
    repository: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "main.c").write_text(MAIN)
    (repository / name).write_text("int part;\n")
    code = main(["new"])
    if name == "-o.c":  # behind the folder it is no option
        assert "{source}/-o.c" in _written(code)
        return
    assert code == 2
    said = capsys.readouterr().err
    assert "name not allowed in a build step" in said
    assert "\x1b" not in said
    assert not Path("whyfast.toml").exists()


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _secret(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def _huge(path: Path) -> None:
    with path.open("wb") as out:
        out.truncate(10**11)


def _itself(path: Path) -> None:
    path.symlink_to(path.name)


@pytest.mark.parametrize("make", [_fifo, _device, _secret, _huge, _itself])
@pytest.mark.parametrize("kind", KINDS)
def test_files_that_are_none(
    repository: Path, kind: str, make: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    marks, project = KINDS[kind]
    for mark in {m.replace("*", "x") for m in marks if "/" not in m} | {"Makefile.am", "a.c"}:
        make(repository / mark)
    if (kind, make) == ("c", _secret):  # its lines look like rules of make, for the names of users
        assert re.fullmatch(r"src/[\w-]+\.linked", project(repository).program)
        return
    assert "root:" not in refusal(UserError, lambda: project(repository))
    assert main(["new"]) == 2
    assert "root:" not in capsys.readouterr().err
    assert not Path("whyfast.toml").exists()


def test_deep_folders_and_links_in_circles(repository: Path) -> None:
    (repository / "main.c").write_text(MAIN)
    here = os.open(repository, os.O_RDONLY)
    for _ in range(200):
        os.mkdir("d", dir_fd=here)
        os.symlink(".", "loop", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    (repository / "src").symlink_to(".")
    _written(main(["new"]))
    assert load_study("whyfast.toml").build.program == "program"
