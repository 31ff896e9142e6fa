"""Manual pages are made of every command, and troff has nothing to say about them."""

import shutil
import subprocess
from pathlib import Path

import pytest

from whyfast.cli.commands import COMMANDS


@pytest.mark.long
def test_pages(tmp_path: Path) -> None:
    pytest.importorskip("argparse_manpage", reason="make man installs it")
    from web.manual import main

    main(tmp_path)
    pages = {p.stem: p for p in (tmp_path / "man1").iterdir()}
    assert pages.keys() == {"whyfast", *(f"whyfast-{name}" for name in COMMANDS)}
    assert ".SH EXIT STATUS" in pages["whyfast-ab"].read_text("utf-8")
    assert "whyfast ab" in pages["whyfast-ab"].read_text("utf-8")
    if groff := shutil.which("groff"):
        for page in pages.values():
            done = subprocess.run(
                [groff, "-Kutf8", "-man", "-Tutf8", "-ww", "-z", str(page)],
                capture_output=True,
                text=True,
            )
            assert (done.returncode, done.stderr) == (0, ""), page.name
