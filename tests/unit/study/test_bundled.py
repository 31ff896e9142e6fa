"""Where bundled studies and subjects are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from whyfast.model.errors import UserError
from whyfast.study import find as bundled
from whyfast.study.find import BundledStudy, bundled_folder, bundled_names, bundled_studies


def make(folder: Path) -> None:
    (folder / "studies/goto").mkdir(parents=True)
    (folder / "studies/goto/study.toml").write_text("[study]\ntitle = '''Is\n it?'''\n")
    (folder / "studies/broken").mkdir()
    (folder / "studies/broken/study.toml").write_text("[study\n")
    (folder / "studies/no-study").mkdir()
    (folder / "studies/.hidden").mkdir()
    (folder / "studies/README.md").write_text("")
    (folder / "subjects/vm").mkdir(parents=True)
    (folder / "subjects/__pycache__").mkdir()


@pytest.mark.parametrize("installed", [True, False])
def test_checkout_and_wheel(
    installed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / ("site-packages" if installed else "src") / "whyfast"
    package.mkdir(parents=True)
    where = package / "bundled" if installed else tmp_path
    make(where)
    monkeypatch.setattr(bundled, "_PACKAGE", package)
    assert bundled_folder("studies") == where / "studies"
    assert bundled_folder("subjects") == where / "subjects"
    assert bundled_names("studies") == ("broken", "goto")
    assert bundled_names("subjects") == ("vm",)
    assert bundled_studies() == (
        BundledStudy("broken", "", where / "studies/broken"),
        BundledStudy("goto", "Is it?", where / "studies/goto"),
    )


def test_stray_folders_beside_an_installed_package_are_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path)
    package = tmp_path / "site-packages" / "whyfast"
    package.mkdir(parents=True)
    monkeypatch.setattr(bundled, "_PACKAGE", package)
    assert bundled_names("studies") == ()
    assert bundled_studies() == ()
    with pytest.raises(UserError, match="comes without its subjects"):
        bundled_folder("subjects")
