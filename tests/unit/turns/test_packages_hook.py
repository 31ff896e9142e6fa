"""The project's packages come from a build wherever else Python would find them first."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import whyfast

HOOK = Path(whyfast.__file__).parent / "turns/include/packages"


#: As pytest imports its plug-ins: it asks the finder of folders itself, before all others.
PATH_FINDER = (
    "from importlib.machinery import PathFinder as P; "
    "sys.meta_path.insert(0, type('F', (), {'find_spec': P.find_spec}))"
)


@pytest.mark.parametrize("how", ["-c", "script", "-m", "inserted", "pytest"])
def test_a_package_of_the_build_goes_before_that_of_the_checkout(tmp_path: Path, how: str) -> None:
    checkout, build, other = (tmp_path / name for name in ("checkout", "build", "other"))
    for folder in (checkout, build):
        (folder / "pkg").mkdir(parents=True)
        (folder / "pkg/__init__.py").write_text("")
        (folder / "pkg/part.py").write_text("")
        (folder / "beside.py").write_text("")
    other.mkdir()
    (other / "sitecustomize.py").write_text("import sys\nsys.customized = True\n")
    text = "import sys, pkg.part, beside; print(pkg.part.__file__, beside.__file__, sys.customized)"
    (checkout / "run.py").write_text(text)
    before = f"import sys; sys.path.insert(0, {str(checkout)!r}); "
    words = {
        "-c": ["-c", text],
        "script": [str(checkout / "run.py")],
        "-m": ["-m", "run"],
        "inserted": ["-c", before + text],
        "pytest": ["-c", before + PATH_FINDER + "; " + text],
    }
    env = {
        **os.environ,
        "WHYFAST_PACKAGES": f"{build}:more:pkg",
        "PYTHONPATH": os.pathsep.join(map(str, (HOOK, other))),
    }
    said = subprocess.run(
        [sys.executable, *words[how]], cwd=checkout, env=env, capture_output=True, text=True
    )
    part, beside, customized = said.stdout.split()
    assert (Path(part), customized) == (build / "pkg/part.py", "True")
    assert Path(beside) == checkout / "beside.py"
