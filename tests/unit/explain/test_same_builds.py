"""Which sources a program holds nothing of, by its symbols and debug information."""

import shutil
import subprocess
from pathlib import Path

import pytest

from whyfast.explain.same_builds import not_linked


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize(("debug", "absent"), [("-g", ("lib/dump.c",)), ("-s", ())])
def test_sources_that_are_not_in_the_program(
    tmp_path: Path, debug: str, absent: tuple[str, ...]
) -> None:
    (tmp_path / "app.c").write_text("int main(void) { return 0; }\n")
    subprocess.run(["gcc", debug, "-o", "app", "app.c"], cwd=tmp_path, check=True)
    build = tmp_path, Path("app")
    names = ["app.c", "lib/dump.c", "test/check.c", "README.md"]
    assert not_linked([build, build], names, names) == absent
