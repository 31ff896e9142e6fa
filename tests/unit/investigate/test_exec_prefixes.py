"""Where built programs run.

Programs that are named by their files start where they were built.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.build.example import study as example

from whyfast.investigate import context
from whyfast.investigate.context import RunContext, file_prefixes, study_prefixes
from whyfast.investigate.services import Services, Silent
from whyfast.model.build import Build, BuildFailure, Toolchain
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark, Variant
from whyfast.store.home import Home
from whyfast.toolchain.sandbox import Box

ROOT = Path("/cache/toolchains/debian/root")


def _toolchain(name: str, root: Path | None) -> Toolchain:
    return Toolchain(name, "p", "v", "t", name, ("cc",), frozenset(), root=root)


def _context(folder: Path, own: Home, *toolchains: Toolchain) -> RunContext[Study]:
    builds = [
        Build(f"v{i}", f"digest{i}", Path("/p"), "sha", {"toolchain": {"digest": t.digest}}, False)
        for i, t in enumerate(toolchains)
    ]
    failed = BuildFailure("broken", "failed", "reason")
    variants = [Variant(f"v{i}", t.name) for i, t in enumerate(toolchains)]
    return RunContext(
        replace(example(folder / "subject"), variants=tuple(variants)),
        own,
        Silent(),
        Services(),
        toolchains,
        (*builds, failed),
        packages={"pyperf": Path("/pyperf")},
    )


@pytest.fixture
def own(tmp_path: Path) -> Home:
    """A home that nothing is written to."""
    return Home(tmp_path / "cache", tmp_path / "data")


@pytest.fixture
def boxes(monkeypatch: pytest.MonkeyPatch) -> list[Box]:
    """The boxes that programs were put in."""
    seen: list[Box] = []

    def around(box: Box, scratch: Path) -> list[str]:
        seen.append(box)
        return ["enter", str(box.root)]

    monkeypatch.setattr(context, "around_program", around)
    return seen


def test_without_a_root_programs_just_start(tmp_path: Path, own: Home, boxes: list[Box]) -> None:
    toolchains = (_toolchain("path:a", None), _toolchain("zig:b", None))
    found = study_prefixes(_context(tmp_path, own, *toolchains))
    assert found == {"v0": (), "v1": ()}
    assert boxes == []


def test_with_one_root_all_start_alike(tmp_path: Path, own: Home, boxes: list[Box]) -> None:
    toolchains = (_toolchain("path:a", None), _toolchain("debian:b", ROOT))
    context = _context(tmp_path, own, *toolchains)
    found = study_prefixes(context)
    assert found == {"v0": ("enter", "None"), "v1": ("enter", str(ROOT))}
    assert [b.writable for b in boxes] == [(own.builds / "digest0",), (own.builds / "digest1",)]
    assert boxes[0].network
    study = context.question
    assert {study.folder, study.source.folder, Path("/pyperf")} <= set(boxes[0].readable)


def test_files_of_a_study_beside_are_seen(tmp_path: Path, own: Home, boxes: list[Box]) -> None:
    context = _context(tmp_path, own, _toolchain("debian:b", ROOT))
    study = context.question
    command = ("{program}", "{study}/../other/bench.py", "{study}/own.py")
    named = Benchmark("b", "command", command)
    study_prefixes(replace(context, question=replace(study, benchmarks=(named,))))
    assert study.folder.resolve().parent / "other" in boxes[0].readable
    assert study.folder.resolve().parent not in boxes[0].readable


def test_an_unenterable_root(tmp_path: Path, own: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def around(box: Box, scratch: Path) -> list[str]:
        raise CannotBuildHere("cannot be entered here")

    monkeypatch.setattr(context, "around_program", around)
    toolchain = _toolchain("debian:b", ROOT)
    with pytest.raises(UserError, match=r"study\.toml: cannot be entered here"):
        study_prefixes(_context(tmp_path, own, toolchain))


def _build(home: Home, digest: str, root: Path | None) -> Path:
    program = home.builds / digest / "work" / "program"
    program.parent.mkdir(parents=True)
    program.touch()
    toolchain = {"name": "debian:gcc-14", **({"root": str(root)} if root else {})}
    names = {"digest": digest, "variant": "v", "program": "program", "program_sha256": "abc"}
    rest = {"toolchain": toolchain, "inputs": {}, "source": {}, "started": 0, "seconds": 1}
    provenance = names | rest
    (home.builds / digest / "provenance.json").write_text(json.dumps(provenance))
    return program


def test_a_program_of_a_root_is_entered(own: Home, tmp_path: Path, boxes: list[Box]) -> None:
    root = tmp_path / "debian-trixie-gcc-14-01234567" / "root"
    root.mkdir(parents=True)
    (root.parent / "digest").write_text("d")
    rooted, plain, other = _build(own, "d1", root), _build(own, "d2", None), tmp_path / "elsewhere"
    assert file_prefixes([plain, other], own, also=Box(start=tmp_path)) == [(), ()]
    assert boxes == []
    also = Box(start=tmp_path, writable=(tmp_path,))
    words = file_prefixes([rooted, other], own, also=also)
    assert words == [("enter", str(root)), ("enter", "None")]
    assert [b.root for b in boxes] == [root, None]
    assert boxes[0].writable == (own.builds / "d1", tmp_path)
    assert all(b.start == tmp_path and b.network for b in boxes)


def test_a_root_that_is_gone_is_said(own: Home, tmp_path: Path) -> None:
    program = _build(own, "d1", tmp_path / "gone" / "root")
    with pytest.raises(UserError, match="toolchain install --from d1"):
        file_prefixes([program], own, also=Box(start=tmp_path))
