"""Builds in sandboxes, and what is said of them."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.build.example import recipe, toolchain

from whyfast.build import run
from whyfast.build.run import build_all
from whyfast.build.steps import enclose
from whyfast.model.build import Build, BuildFailure
from whyfast.store.builds import BuildStore
from whyfast.toolchain import sandbox

NOTHING = sandbox.Tools(None, "bubblewrap is not installed", None, "no namespaces")


def _silent(text: str) -> None:
    """Nobody listens."""


@pytest.fixture
def sandboxed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo the ``off`` of this folder; skip where there is no bubblewrap."""
    monkeypatch.delenv(sandbox.VARIABLE)
    if not sandbox.tools().bubblewrap:
        pytest.skip(sandbox.tools().no_bubblewrap)


@pytest.mark.usefixtures("sandboxed")
def test_a_step_cannot_have_our_files_written_elsewhere(
    source: Path, store: BuildStore, tmp_path: Path
) -> None:
    """By a link where whyfast writes its record, its log or the scripts of the linker."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    names = "provenance.json.new provenance.json failure.json used layouts log.txt new"
    link = f"for n in {names}; do ln -sf {victim} ../$n || true; done"
    steps = (link, "echo x > $TMPDIR/x", "cp {source}/main.c {program}")
    made = recipe(source, steps=steps)
    (build,) = build_all([made], store, _silent)
    assert isinstance(build, Build)
    assert victim.read_text() == "mine"
    kept = sorted(os.listdir(store.folder(made.digest)))
    assert kept == ["log.txt", "provenance.json", "tmp", "used", "work"]


def test_the_record_is_not_written_through_a_link(tmp_path: Path) -> None:
    """A folder that came from another host may have one."""
    (tmp_path / "build").mkdir()
    (tmp_path / "victim").write_text("mine")
    for name in ("provenance.json", "provenance.json.new"):
        (tmp_path / "build" / name).symlink_to(tmp_path / "victim")
    run.complete(tmp_path / "build", {"digest": "d"})
    assert (tmp_path / "victim").read_text() == "mine"
    assert (tmp_path / "build" / "provenance.json").read_text() == '{\n "digest": "d"\n}'
    assert not (tmp_path / "build" / "provenance.json").is_symlink()


@pytest.mark.usefixtures("sandboxed")
def test_a_step_cannot_leave_its_folder(source: Path, store: BuildStore, tmp_path: Path) -> None:
    steps = (f"touch {tmp_path}/outside || true", "cp {source}/main.c {program}")
    (build,) = build_all([recipe(source, steps=steps)], store, _silent)
    assert isinstance(build, Build)
    assert not (tmp_path / "outside").exists()
    assert build.provenance["sandbox"].startswith("bubblewrap, no network, no home")


def test_without_a_sandbox_the_provenance_says_why(
    source: Path, store: BuildStore, monkeypatch: pytest.MonkeyPatch, golden: Hear
) -> None:
    monkeypatch.delenv(sandbox.VARIABLE)
    monkeypatch.setattr(sandbox, "tools", lambda: NOTHING)
    (build,) = build_all([recipe(source)], store, _silent)
    assert isinstance(build, Build)
    golden(build.provenance["sandbox"])


def test_without_a_sandbox_a_step_can_do_what_the_user_can(
    source: Path, store: BuildStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(sandbox.VARIABLE)
    monkeypatch.setattr(sandbox, "tools", lambda: NOTHING)
    (tmp_path / "socket").write_text("of a service")
    steps = (f"cat {tmp_path}/socket >{tmp_path}/outside", "cp {source}/main.c {program}")
    (build,) = build_all([recipe(source, steps=steps)], store, _silent)
    assert isinstance(build, Build)
    assert (tmp_path / "outside").read_text() == "of a service"


def test_a_root_that_cannot_be_entered_is_a_reason_not_to_build(
    source: Path, store: BuildStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sandbox, "tools", lambda: NOTHING)
    compiler = replace(toolchain(), root=tmp_path / "root")
    (failure,) = build_all([recipe(source, compiler=compiler)], store, _silent)
    assert isinstance(failure, BuildFailure)
    assert failure.kind == "not-buildable"
    assert failure.reason.startswith("Debian roots cannot be used on this machine: bubblewrap is not")


def test_what_a_toolchain_writes_is_writable(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(sandbox.VARIABLE)
    tools = sandbox.Tools("/usr/bin/bwrap", "", None, "")
    monkeypatch.setattr(sandbox, "tools", lambda: tools)
    cache = tmp_path / "cache"
    cache.mkdir()
    folder = tmp_path / "build"
    (folder / "work").mkdir(parents=True)
    made = recipe(source, compiler=replace(toolchain(), writable=(cache,)))
    words, _ = enclose(made, folder, BuildStore(tmp_path / "builds"))
    bound = {words[i + 1] for i, word in enumerate(words) if word == "--bind"}
    assert bound == {str(cache), str(folder / "work"), str(folder / "tmp")}
    assert words[-2] == str(folder / "work")


def test_all_files_of_a_source_get_the_same_date(source: Path, store: BuildStore) -> None:
    (source / "older.c").write_text("")
    os.utime(source / "older.c", (1, 1))
    (build,) = build_all([recipe(source)], store, _silent)
    assert isinstance(build, Build)
    src = build.program.parent / "src"
    assert {p.stat().st_mtime for p in src.iterdir()} == {315532800.0}


def test_long_steps_are_told_one_by_one_with_the_time_of_the_last(
    source: Path, store: BuildStore
) -> None:
    said: list[str] = []
    steps = ("true {jobs}", "cp {source}/main.c {program}")
    first = recipe(source, steps=steps)
    again = recipe(source, steps=steps, compiler=toolchain(digest="t2"))
    build_all([first, again], store, said.append)
    cpus = os.cpu_count()
    one = [f"base: step 1 of 2: true {cpus}", "base: step 2 of 2: cp src/main.c vm"]
    assert said == [
        "building base with cc 1.0",
        *one,
        "building base with cc 1.0",
        "base: the last build by these steps took 0 s",
        *one,
    ]


def test_room_is_asked_for_first(
    source: Path, store: BuildStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "NEED_LEAST", 10**18)
    (failure,) = build_all([recipe(source)], store, _silent)
    assert isinstance(failure, BuildFailure)
    assert failure.reason.startswith("no room to build: ")
    assert failure.reason.endswith(" are needed")
