"""Builds that go on from what the last one left."""

import json
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.build.example import built, named, reasons, recipe

from whyfast.build.incremental import build_incrementally, marked, slot_of
from whyfast.build.recipe import Recipe
from whyfast.model.build import Build
from whyfast.store.builds import BuildStore

MAKEFILE = """\
parts := $(patsubst %.txt,%.o,$(wildcard *.txt))
all: $(parts)
\tcat $(parts) > all
%.o: %.txt
\tcp $< $@
"""
MAKE = ("make -C {source}",)
OLD = 315532800  # SOURCE_DATE_EPOCH of every build


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A project of three files."""
    folder = tmp_path / "subject"
    folder.mkdir()
    (folder / "Makefile").write_text(MAKEFILE)
    for name in "abc":
        (folder / f"{name}.txt").write_text(f"{name} 1\n")
    return folder


def _project(source: Path, steps: tuple[str, ...] = MAKE, program: str = "src/all") -> Recipe:
    return recipe(source, steps=steps, program=program)


def _build(recipe: Recipe, store: BuildStore, said: list[str] | None = None) -> Build:
    (made,) = build_incrementally([recipe], store, (said if said is not None else []).append)
    assert isinstance(made, Build)
    return made


def _copied(store: BuildStore, build: Build) -> list[str]:
    log = (store.folder(build.digest) / "log.txt").read_text()
    return [line for line in log.splitlines() if line.startswith("cp ")]


def test_only_what_changed_is_made_again(source: Path, store: BuildStore, golden: Hear) -> None:
    first = _build(_project(source), store)
    assert _copied(store, first) == ["cp a.txt a.o", "cp b.txt b.o", "cp c.txt c.o"]
    (source / "b.txt").write_text("b 2\n")
    said: list[str] = []
    second = _build(_project(source), store, said)
    assert _copied(store, second) == ["cp b.txt b.o"]
    golden(*said)
    (source / "b.txt").write_text("b 1\n")
    (source / "c.txt").write_text("c 3\n")
    third = _build(_project(source), store)
    assert _copied(store, third) == ["cp b.txt b.o", "cp c.txt c.o"]
    programs = [b.program.read_text() for b in (first, second, third)]
    assert programs == ["a 1\nb 1\nc 1\n", "a 1\nb 2\nc 1\n", "a 1\nb 1\nc 3\n"]


def test_it_is_kept_under_a_digest_of_its_own(source: Path, store: BuildStore) -> None:
    project = _project(source)
    made = _build(project, store)
    assert made.digest == marked(project).digest != project.digest
    assert store.find(project.digest) is None
    assert _build(project, store).reused
    clean = built(project, store)
    assert (clean.digest, clean.reused) == (project.digest, False)
    again = _build(project, store)  # the clean one is there now
    assert (again.digest, again.reused) == (project.digest, True)


def test_other_differences_have_their_own_folder(source: Path, store: BuildStore) -> None:
    one = slot_of(_project(source), store)
    (source / "a.txt").write_text("other\n")
    assert slot_of(_project(source), store) == one
    assert slot_of(_project(source, ("make -C {source} all",)), store) != one


def test_files_of_the_source_come_and_go(source: Path, store: BuildStore) -> None:
    project = _project(source)
    _build(project, store)
    left = slot_of(project, store) / "work" / "src"
    assert (left / "a.txt").stat().st_mtime == OLD
    (source / "c.txt").unlink()
    (source / "d.txt").write_text("d 1\n")
    (source / "a.txt").write_text("a 2\n")
    made = _build(_project(source), store)
    assert made.program.read_text() == "a 2\nb 1\nd 1\n"
    assert not (left / "c.txt").exists()
    assert (left / "c.o").exists()  # what the build made stays
    assert (left / "b.txt").stat().st_mtime == OLD
    assert (left / "a.txt").stat().st_mtime > OLD


def test_a_file_becomes_a_folder_and_a_file_again(source: Path, store: BuildStore) -> None:
    _build(_project(source), store)
    (source / "c.txt").unlink()
    (source / "c.txt").mkdir()
    (source / "c.txt" / "inner").write_text("1\n")
    steps = ("cat {source}/a.txt > {program}",)
    folder = _build(_project(source, steps, "vm"), store)
    assert folder.program.read_text() == "a 1\n"
    (source / "c.txt" / "inner").unlink()
    (source / "c.txt").rmdir()
    (source / "c.txt").write_text("c 5\n")
    file = _build(_project(source, steps, "vm"), store)
    work = store.folder(file.digest) / "work" / "src"
    assert (work / "c.txt").read_text() == "c 5\n"


def test_what_a_build_changed_in_the_source_is_put_back(source: Path, store: BuildStore) -> None:
    steps = ("cat {source}/a.txt {source}/b.txt > {program}", "echo spoilt > {source}/b.txt")
    assert _build(_project(source, steps, "vm"), store).program.read_text() == "a 1\nb 1\n"
    (source / "a.txt").write_text("a 2\n")
    assert _build(_project(source, steps, "vm"), store).program.read_text() == "a 2\nb 1\n"


def test_what_fails_in_a_used_folder_is_built_clean(source: Path, store: BuildStore) -> None:
    steps = ("mkdir new && cat {source}/a.txt", "cp {source}/a.txt {program}")
    _build(_project(source, steps, "vm"), store)
    (source / "a.txt").write_text("a 2\n")
    project, said = _project(source, steps, "vm"), list[str]()
    made = _build(project, store, said)
    assert (made.digest, made.program.read_text()) == (project.digest, "a 2\n")
    assert any("base: not built incrementally: " in line for line in said)
    assert not slot_of(project, store).exists()


def test_only_a_clean_build_fails(source: Path, store: BuildStore) -> None:
    project = _project(source, ("echo no >&2; exit 3",), "vm")
    (made,) = build_incrementally([project], store, lambda said: None)
    assert made.__class__.__name__ == "BuildFailure"
    assert "no" in str(reasons([made])[0])
    assert [f.digest for f in store.failures()] == [project.digest]


def test_a_program_that_names_its_folder_is_built_clean(source: Path, store: BuildStore) -> None:
    project = _project(source, ("pwd > {program}",), "vm")
    said: list[str] = []
    assert _build(project, store, said).digest == project.digest
    assert (
        "base: not built incrementally: its program names the folder that it was built in; "
        "building it clean" in said
    )


def test_an_unfinished_folder_is_not_reused(source: Path, store: BuildStore) -> None:
    project = _project(source)
    _build(project, store)
    listing = slot_of(project, store) / "source.json"
    assert [*json.loads(listing.read_text())["files"]] == ["Makefile", "a.txt", "b.txt", "c.txt"]
    listing.unlink()
    (source / "b.txt").write_text("b 2\n")
    made = _build(_project(source), store)
    assert _copied(store, made) == ["cp a.txt a.o", "cp b.txt b.o", "cp c.txt c.o"]


def test_an_interrupt_leaves_no_build(
    source: Path, store: BuildStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = _project(source)

    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("whyfast.build.run.run_steps", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _build(project, store)
    monkeypatch.undo()
    assert store.find(marked(project).digest) is None
    assert not _build(project, store).reused


def test_other_flags_compile_everything_again_only(source: Path, store: BuildStore) -> None:
    # What is no object stays, and so does what belongs to the source.
    steps = (
        "cd {source}; [ -e said ] || echo configured >> said",
        r"cd {source}; set -- {cflags}; [ -e a.o ] || printf '\177ELF %s' $1 > a.o",
        "cp {source}/a.o {program}",
    )
    (source / "tool").write_bytes(b"\x7fELF of the source")

    def made(*flags: str) -> tuple[bytes, Path]:
        plain = recipe(source, steps=steps, program="vm", variant=named("base", *flags))
        built = _build(plain, store)
        return built.program.read_bytes(), slot_of(plain, store) / "work" / "src"

    first, slot = made("-O2")
    (slot / "said").write_text("configured before\n")
    second, same = made("-O3")
    assert (first, second) == (b"\x7fELF -O2", b"\x7fELF -O3")
    assert same == slot
    assert (slot / "said").read_text() == "configured before\n"
    assert (slot / "tool").stat().st_mtime == OLD


def test_a_link_of_a_step_loses_no_file(source: Path, store: BuildStore, tmp_path: Path) -> None:
    """Where the source had a folder, a step leaves a link to one outside."""
    (source / "sub").mkdir()
    for name in ("gone", "changed"):
        (source / "sub" / name).write_text("1")
    victim = tmp_path / "victim"
    victim.mkdir()
    for name in ("gone", "changed"):
        (victim / name).write_text("mine")
    steps = (f"rm -rf {{source}}/sub; ln -s {victim} {{source}}/sub; echo > {{program}}",)
    _build(_project(source, steps, "vm"), store)
    (source / "sub" / "gone").unlink()
    (source / "sub" / "changed").write_text("2")
    _build(_project(source, steps, "vm"), store)
    assert {p.name: p.read_text() for p in victim.iterdir()} == {"gone": "mine", "changed": "mine"}
