"""The tests of the wheel under every Python that is found: ``python -m tests.every_python``.

For each of Python 3.11 to 3.14 of pyenv and on ``PATH``: an environment of its own with what the
lock file pins for it, the wheel, mypy and the unit tests. Arguments go to pytest.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from whyfast.study.axes import pyenv_folder, pyenv_versions, pythons_on_path

ROOT = Path(__file__).parents[1]
PLACE = ROOT / ".venvs"
WANTED = ("3.11", "3.12", "3.13", "3.14")


def found() -> dict[str, str]:
    """The Pythons to be had: minor version → program; of pyenv's the newest of each."""
    there = {
        ".".join(version.split(".")[:2]): str(pyenv_folder() / version / "bin" / "python")
        for version in pyenv_versions()
    }
    for name in pythons_on_path():
        if program := shutil.which(name):
            there.setdefault(name.removeprefix("python"), program)
    return {w: there[w] for w in WANTED if w in there}


def environment(minor: str, python: str, wheel: Path) -> Path:
    """The interpreter of an environment with the wheel and what the tests need."""
    folder = PLACE / minor
    own = folder / "bin" / "python"
    if not own.exists():
        subprocess.run([python, "-m", "venv", str(folder)], check=True)
    pip = [str(own), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    lock = ROOT / "requirements-dev.lock"
    subprocess.run([*pip, "--require-hashes", "-r", str(lock)], check=True)
    subprocess.run([*pip, "--no-deps", "--force-reinstall", str(wheel)], check=True)
    return own


def build_wheel() -> Path:
    """The wheel of this checkout."""
    folder = PLACE / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "--no-deps", "--no-build-isolation", "-w", str(folder), str(ROOT)], check=True
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


def main(arguments: list[str]) -> int:
    """0 when all passed under each."""
    pythons, wheel, failed = found(), build_wheel(), []
    for minor, python in pythons.items():
        print(f"Python {minor}: {python}", flush=True)
        own = environment(minor, python, wheel)
        checks = [
            [str(own), "-m", "mypy", "--cache-dir", str(PLACE / minor / "mypy")],
            [str(own), "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        ]
        if any(subprocess.run(check, cwd=ROOT, check=False).returncode for check in checks):
            failed.append(minor)
    missing = [w for w in WANTED if w not in pythons]
    print(f"passed: {', '.join(w for w in pythons if w not in failed) or 'none'}")
    print(f"failed: {', '.join(failed) or 'none'}; not found here: {', '.join(missing) or 'none'}")
    return 1 if failed or not pythons else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["tests/unit"]))
