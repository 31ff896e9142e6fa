"""What a run would do."""

import hashlib
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from tests.golden_files import refusal
from tests.unit.build.example import study as example
from tests.unit.build.example import toolchain, write_source

from whyfast.build.recipe import make_recipe, scan_source
from whyfast.build.run import build_all
from whyfast.investigate import forecast as module
from whyfast.investigate.forecast import check_room, forecast
from whyfast.model.errors import UserError
from whyfast.model.study import EvidenceBuild, Source, Study
from whyfast.model.variant import Variant
from whyfast.report.pages.admin_pages import plan_page
from whyfast.report.render.terminal import render_terminal
from whyfast.store.builds import BuildStore
from whyfast.store.home import Home
from whyfast.toolchain import Cost

STEPS = ("cp {source}/main.c {program}",)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
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
        render_terminal(plan_page(forecast(study, home)), console=console)
    return text.get()


def test_without_a_build_alike_nothing_is_estimated(own: Home, study: Study) -> None:
    found = forecast(study, own)
    assert [p.state for p in found.prospects] == ["to build", "to build"]
    assert (found.to_build, found.each) == (2, None)
    assert not own.cache.exists()


def test_the_last_build_of_the_source_is_what_others_will_take(own: Home, study: Study) -> None:
    recipe = make_recipe(study, study.variants[0], toolchain(), scan_source(study.source.folder))
    build_all([recipe], BuildStore(own.builds), lambda text: None)
    found = forecast(study, own)
    assert [p.state for p in found.prospects] == ["built", "to build"]
    assert found.to_build == 1
    assert found.each is not None
    assert found.each.size > 0
    other_steps = replace(study, build=replace(study.build, steps=("true", *STEPS)))
    assert forecast(other_steps, own).each is None


def test_a_source_that_is_not_there_is_a_download(own: Home, study: Study, tmp_path: Path) -> None:
    archive = tmp_path / "x.tar"
    archive.write_bytes(b"x")
    sha256 = hashlib.sha256(b"x").hexdigest()
    missing = replace(study, source=Source("tarball", "x.tar", archive, sha256=sha256))
    found = forecast(missing, own)
    assert {(p.state, p.detail) for p in found.prospects} == {
        ("to build, after a download", "tarball x.tar")
    }
    assert found.each is None


def test_a_local_repository_is_no_download(own: Home, study: Study, tmp_path: Path) -> None:
    repository = study.folder / "repo"
    repository.mkdir(parents=True)
    (repository / "main.c").write_text("int main(void) { return 0; }\n")
    git = ["git", "-C", str(repository), "-c", "user.name=n", "-c", "user.email=e@e"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    found = {}
    for name in ("repo", "https://example.org/repo"):
        there = replace(study, source=Source("git", name, repository, revision=head.stdout.strip()))
        found[name] = {p.state for p in forecast(there, own).prospects}
    assert found == {
        "repo": {"to build"},
        "https://example.org/repo": {"to build, after a download"},
    }


def test_the_estimate_is_printed(own: Home, study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "estimated from" not in _printed(study, own)
    each = module.BuildCost(90.0, 340_000_000)
    monkeypatch.setattr(module, "_estimate", lambda *arguments, **names: each)
    printed = _printed(study, own)
    assert "building 2 takes about 3 min and 680 MB, estimated from the last build" in printed


def test_before_any_build_the_study_is_believed(own: Home, study: Study) -> None:
    stated = replace(study, build=replace(study.build, takes=360.0, room=480_000_000))
    assert forecast(stated, own).each == module.BuildCost(360.0, 480_000_000, stated=True)
    printed = _printed(stated, own)
    assert "building 2 takes about 12 min and 960 MB, as the study states" in printed
    assert "disk needed: about 960 MB\n" in printed


def test_variants_for_evidence_are_counted_apart(own: Home, study: Study) -> None:
    short = EvidenceBuild(("true",), "main.o", takes=30.0, room=2_000_000)
    first, second = study.variants
    mixed = replace(
        study,
        build=replace(study.build, evidence=short),
        variants=(first, replace(second, evidence_only=True)),
    )
    found = forecast(mixed, own)
    assert (found.to_build, found.to_read) == (1, 1)
    assert found.each is None
    assert found.each_read == module.BuildCost(30.0, 2_000_000, stated=True)
    printed = _printed(mixed, own)
    assert "other (evidence)" in printed
    assert (
        "building 1 for evidence only takes about 30.0 s and 2 MB, as the study states" in printed
    )
    assert "building 1: the time is unknown until one of them is built" in printed


def test_nothing_measured_is_said(own: Home, study: Study) -> None:
    reading = replace(study, variants=tuple(replace(v, evidence_only=True) for v in study.variants))
    printed = _printed(reading, own)
    assert "evidence only: no measurement" in printed
    assert "measuring takes" not in printed


def test_a_control_is_shown(own: Home, study: Study) -> None:
    control = replace(study.variants[0], name="base control", control_of="base")
    found = forecast(replace(study, variants=(*study.variants, control)), own)
    assert [p.state for p in found.prospects][-1] == "to link again"
    assert found.to_build == 2


class Faraway:
    """A provider of which nothing is installed."""

    def installed(self, name: str, home: Home, packages: tuple[str, ...] = ()) -> bool:
        return False

    def cost(self, name: str, packages: tuple[str, ...] = ()) -> Cost:
        return Cost(100_000_000, 400_000_000 + len(packages), 90.0)


def test_each_toolchain_is_installed_once(
    own: Home, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "providers", lambda: {"far": Faraway()})
    monkeypatch.setattr(module, "split_name", lambda name: tuple(name.split(":")))
    variants = tuple(Variant(n, t) for n, t in (("base", "far:a"), ("b", "far:a"), ("c", "far:b")))
    printed = _printed(replace(study, variants=variants), own)
    assert (
        "2 toolchains to install: about 200 MB to download, 800 MB on disk, 3 min in all" in printed
    )


def test_a_study_that_does_not_fit_is_not_begun(
    own: Home, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    stated = replace(study, build=replace(study.build, takes=60.0, room=480_000_000))
    check_room(stated, own)
    monkeypatch.setattr(module, "lacking", lambda folder, need: f"{need} bytes are needed")
    assert refusal(UserError, lambda: check_room(stated, own)).endswith(
        "study.toml: no room for the toolchains and builds of this study: 960000000 bytes are "
        "needed; make room (whyfast builds gc, whyfast toolchain remove), or restrict it with "
        "--only"
    )
    check_room(study, own)  # of which nothing is known
