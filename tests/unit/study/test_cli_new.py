"""whyfast new."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from whyfast.cli import new
from whyfast.model.errors import UserError
from whyfast.study import load_study


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    new.add_arguments(parser)
    return new.run(parser.parse_args(words))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with a name that TOML must escape."""
    folder = tmp_path / 'my "program" µ'
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_new_study_is_valid_and_points_to_the_current_folder(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("studies/flags") == 0
    assert capsys.readouterr().out == (
        "studies/flags/study.toml is written. Edit it, then: whyfast plan studies/flags\n"
    )
    study = load_study("studies/flags")
    assert study.source.name == "../.."
    assert study.source.folder == here
    assert study.baselines == ("O2",)
    assert [v.name for v in study.variants] == ["O2", "O3"]
    assert [v.cflags for v in study.variants] == [("-g", "-O2"), ("-g", "-O3")]


def test_source_elsewhere(here: Path) -> None:
    Path('src"').mkdir()
    assert run("study", "--source", 'src"') == 0
    assert load_study("study").source.folder == here / 'src"'


def test_never_overwrites(here: Path) -> None:
    Path("study.toml").write_text("mine")
    with pytest.raises(UserError) as caught:
        run(".")
    assert str(caught.value) == "study.toml: is there already; nothing was written"
    assert Path("study.toml").read_text() == "mine"


def test_does_not_write_through_a_dangling_link(here: Path) -> None:
    Path("study.toml").symlink_to("elsewhere")
    with pytest.raises(UserError, match="is there already"):
        run(".")
    assert not Path("elsewhere").exists()


def test_folder_that_is_a_file(here: Path) -> None:
    Path("taken").write_text("mine")
    with pytest.raises(UserError) as caught:
        run("taken")
    assert str(caught.value) == "taken: is there already; nothing was written"


def test_no_source(here: Path) -> None:
    with pytest.raises(UserError) as caught:
        run("study", "--source", "nowhere")
    assert str(caught.value) == "nowhere: no such folder"
    assert not Path("study").exists()


def test_source_that_is_not_utf8(here: Path) -> None:
    Path("\udcff").mkdir()
    with pytest.raises(UserError, match="cannot be written in UTF-8"):
        run("study", "--source", "\udcff")
    assert not Path("study").exists()


def test_a_project_elsewhere_is_checked_from_here(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("lib/src").mkdir(parents=True)
    Path("lib/Cargo.toml").write_text('[package]\nname = "a"\n[dependencies]\nb = "1"\n')
    Path("lib/src/main.rs").write_text("fn main() {}\n")
    assert run("--source", "lib") == 0
    assert capsys.readouterr().out == (
        "lib/whyfast.toml is written, for a project of the kind cargo. Edit it, then: "
        "(cd lib && cargo fetch) && whyfast check --study lib\n"
    )
