"""What a run would do."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from tests.unit.build.example import study as example
from tests.unit.build.example import toolchain, write_source

from whyfast.build.recipe import make_recipe, scan_source
from whyfast.build.run import build_all
from whyfast.investigate import outlook as module
from whyfast.investigate.outlook import outlook
from whyfast.model.study import Source, Study, Variant
from whyfast.report.plan_table import print_outlook
from whyfast.store.builds import BuildStore
from whyfast.store.home import Home

STEPS = ("cp {source}/main.c {program}",)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """An empty home, and one compiler whatever is asked for."""
    monkeypatch.setattr(module, "resolve", lambda *arguments: toolchain())
    monkeypatch.setenv("WHYFAST_SANDBOX", "off")
    return Home(tmp_path / "cache", tmp_path / "data")


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """Two variants of the subject."""
    variants = (Variant("base", "path:cc"), Variant("other", "path:cc", cflags=("-O1",)))
    return replace(example(write_source(tmp_path), steps=STEPS), variants=variants)


def _printed(study: Study, home: Home) -> str:
    console = Console(width=200)
    with console.capture() as text:
        print_outlook(outlook(study, home), console, verbose=False)
    return text.get()


def test_without_a_build_alike_nothing_is_estimated(own: Home, study: Study) -> None:
    found = outlook(study, own)
    assert [p.state for p in found.prospects] == ["to build", "to build"]
    assert (found.to_build, found.each) == (2, None)
    assert not own.cache.exists()


def test_the_last_build_of_the_source_is_what_others_will_take(own: Home, study: Study) -> None:
    recipe = make_recipe(study, study.variants[0], toolchain(), scan_source(study.source.folder))
    build_all([recipe], BuildStore(own.builds), lambda text: None)
    found = outlook(study, own)
    assert [p.state for p in found.prospects] == ["built", "to build"]
    assert found.to_build == 1
    assert found.each is not None
    assert found.each.size > 0
    other_steps = replace(study, build=replace(study.build, steps=("true", *STEPS)))
    assert outlook(other_steps, own).each is None


def test_a_source_that_is_not_there_is_a_download(own: Home, study: Study, tmp_path: Path) -> None:
    archive = tmp_path / "x.tar"
    archive.write_bytes(b"x")
    sha256 = hashlib.sha256(b"x").hexdigest()
    missing = replace(study, source=Source("tarball", "x.tar", archive, sha256=sha256))
    found = outlook(missing, own)
    assert {(p.state, p.detail) for p in found.prospects} == {
        ("to build, after a download", "tarball x.tar")
    }
    assert found.each is None


def test_the_estimate_is_printed(own: Home, study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "going by" not in _printed(study, own)
    each = module.Estimate(90.0, 340_000_000)
    monkeypatch.setattr(module, "_estimate", lambda *arguments: each)
    printed = _printed(study, own)
    assert "building 2 takes about 3 min and 680 MB, going by the last build" in printed
