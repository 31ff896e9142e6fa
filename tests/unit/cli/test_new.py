"""The commands new and studies."""

from pathlib import Path

import pytest
from tests.golden_files import Hear, refusal

from whyfast.cli.admin import run_new, run_studies
from whyfast.cli.options import command_parser
from whyfast.model.errors import UserError
from whyfast.study import load as bundled
from whyfast.study.load import load_study


def run(*words: str) -> int:
    return run_new(command_parser("new").parse_args(words))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with a name that TOML must escape."""
    folder = tmp_path / 'my "program" µ'
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_a_new_study_is_valid(here: Path, capsys: pytest.CaptureFixture[str], golden: Hear) -> None:
    assert run("studies/flags") == 0
    golden(capsys.readouterr().out)
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


def test_never_overwrites(here: Path, golden: Hear) -> None:
    Path("study.toml").write_text("mine")
    golden(refusal(UserError, lambda: run(".")))
    assert Path("study.toml").read_text() == "mine"


def test_does_not_write_through_a_dangling_link(here: Path) -> None:
    Path("study.toml").symlink_to("elsewhere")
    with pytest.raises(UserError, match="already exists"):
        run(".")
    assert not Path("elsewhere").exists()


def test_folder_that_is_a_file(here: Path, golden: Hear) -> None:
    Path("taken").write_text("mine")
    golden(refusal(UserError, lambda: run("taken")))


def test_no_source(here: Path, golden: Hear) -> None:
    golden(refusal(UserError, lambda: run("study", "--source", "nowhere")))
    assert not Path("study").exists()


def test_source_that_is_not_utf8(here: Path) -> None:
    Path("\udcff").mkdir()
    with pytest.raises(UserError, match="not valid UTF-8"):
        run("study", "--source", "\udcff")
    assert not Path("study").exists()


def test_elsewhere_is_checked(here: Path, capsys: pytest.CaptureFixture[str], golden: Hear) -> None:
    Path("lib/src").mkdir(parents=True)
    Path("lib/Cargo.toml").write_text('[package]\nname = "a"\n[dependencies]\nb = "1"\n')
    Path("lib/src/main.rs").write_text("fn main() {}\n")
    assert run("--source", "lib", "--no-build") == 0
    golden(capsys.readouterr().out)


def list_studies() -> int:
    return run_studies(command_parser("studies").parse_args([]))


def test_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in (("vm", '[study]\ntitle = "Is it?"'), ("placement", "[")):
        (tmp_path / "studies" / name).mkdir(parents=True)
        (tmp_path / "studies" / name / "study.toml").write_text(text)
    monkeypatch.setattr(bundled, "_find", lambda kind: tmp_path / kind)
    assert list_studies() == 0
    head, _, *rows = capsys.readouterr().out.splitlines()
    assert [head, *rows] == ["study      question", "placement", "vm         Is it?"]


def test_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], golden: Hear
) -> None:
    monkeypatch.setattr(bundled, "_find", lambda kind: None)
    assert list_studies() == 0
    golden(capsys.readouterr().out)
