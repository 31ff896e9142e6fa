"""What whyfast new makes of a project's files."""

from __future__ import annotations

from pathlib import Path

import pytest

from whyfast.cli import new
from whyfast.model.errors import UserError
from whyfast.study.kinds import KINDS, cargo, kind_of
from whyfast.study.load import load_study
from whyfast.study.skeleton import check_file

MAIN = "int main(void)\n{\n    return 0;\n}\n"


def project(folder: Path, *names: str, text: str = MAIN) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_the_command_offers_every_kind() -> None:
    assert sorted(new._KINDS) == sorted(KINDS)


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (["Cargo.toml", "Makefile"], "cargo"),
        (["go.mod", "a.c"], "go"),
        (["meson.build", "CMakeLists.txt"], "meson"),
        (["CMakeLists.txt", "setup.py"], "cmake"),
        (["pyproject.toml", "Makefile"], "python"),
        (["Makefile"], "c"),
        (["src/a.c"], "c"),
    ],
)
def test_files_tell_the_kind(tmp_path: Path, names: list[str], kind: str) -> None:
    assert kind_of(project(tmp_path, *names)) == kind


def test_an_empty_folder_is_none(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        kind_of(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: has none of Cargo.toml, go.mod, meson.build, CMakeLists.txt, "
        "pyproject.toml, Makefile; name the folder of the project"
    )


def test_of_two_mains_the_benchmark_is_chosen_and_the_other_named(tmp_path: Path) -> None:
    project(tmp_path, "app.c", "bench.c")
    project(tmp_path, "lib.c", text="int f(void) { return 1; }\n")
    made = KINDS["c"][1](tmp_path)
    assert made.steps == (
        "{cc} {cflags} -I{source} -o {program} {source}/bench.c {source}/lib.c {ldflags} -lm",
    )
    assert made.said[1] == "Others with a main(), which are left out: app.c."


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("all: prog other\n", "prog"),
        ("NAME = tool\nall: $(NAME)\n", "tool"),
        (".PHONY: clean\nprog: a.o\n\tcc -o prog a.o\n", "prog"),
    ],
)
def test_the_program_of_a_makefile(tmp_path: Path, text: str, target: str) -> None:
    project(tmp_path, "Makefile", text=text)
    assert KINDS["c"][1](tmp_path).program == f"src/{target}"


def test_crates_are_linked_from_the_registry_and_nothing_else_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CARGO_HOME", "/home/me/.cargo")
    project(tmp_path, "Cargo.toml", text='[package]\nname = "prog"\n')
    project(tmp_path, "src/main.rs", text="fn main() {}\n")
    project(tmp_path, "Cargo.lock", text='source = "registry+https://x"\n')
    made = cargo(tmp_path)
    assert made.env["REGISTRY"] == "/home/me/.cargo/registry"
    assert made.steps[0] == (
        'mkdir -p cargo/registry; for f in index cache; do ln -s "$REGISTRY/$f" '
        "cargo/registry/$f; done"
    )


@pytest.mark.parametrize(
    ("kind", "names", "said"),
    [
        ("c", ["readme"], "no C file here has a main(), so there is no program"),
        ("cargo", ["readme"], "is not there, so this is no such project"),
        ("cmake", ["CMakeLists.txt"], "adds no executable"),
        ("meson", ["meson.build"], "has no executable"),
        ("go", ["go.mod"], "has neither a program nor a benchmark in its tests"),
        ("python", ["readme"], "has no pyproject.toml or setup.py"),
        ("python", ["setup.py"], "has no package, here or in src/"),
    ],
)
def test_what_cannot_be_built_says_why(
    tmp_path: Path, kind: str, names: list[str], said: str
) -> None:
    project(tmp_path, *names, text="")
    with pytest.raises(UserError, match=said.replace("(", r"\(").replace(")", r"\)")):
        KINDS[kind][1](tmp_path)


def test_what_is_written_is_a_study_of_the_folder_that_it_lies_in(tmp_path: Path) -> None:
    project(tmp_path, "main.c")
    (tmp_path / "whyfast.toml").write_text(check_file(KINDS["c"][1](tmp_path)))
    study = load_study(tmp_path)
    assert study.source.folder == tmp_path
    assert study.baselines == ("release",)
    assert [b.command for b in study.benchmarks] == [("{program}",)]
