"""Packages as programs: what a reader sees of a file that lies in the cache under its digest."""

import shutil
import tarfile
from pathlib import Path

import pytest

from whyfast.api import programs
from whyfast.api.programs import ProgramsRequest, read_programs
from whyfast.toolchain.archive import PackageFile, PackageName

DIGEST = "0" * 64


def test_a_package_is_called_as_it_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = Path(shutil.which("true") or "/bin/true").resolve()
    package = tmp_path / f"{DIGEST}.deb"
    with tarfile.open(package, "w:gz", dereference=True) as tar:  # no hard links
        tar.add(true, "usr/bin/true")
        tar.add(true, "usr/bin/copy")

    class Archive:
        def __init__(self, *_: object) -> None:
            pass

        def fetch(self, wanted: PackageName) -> PackageFile:
            return PackageFile(wanted, "9.1", package)

    monkeypatch.setattr(programs, "Packages", Archive)
    facts = read_programs(ProgramsRequest([Path("deb:coreutils@trixie")]), lambda _: None)
    assert facts.page.summary is not None
    notes = "\n".join(facts.page.summary.findings)
    assert DIGEST not in notes
    assert "deb:coreutils@trixie: usr/bin/" in notes
    assert "deb:coreutils@trixie:PART" in notes
