"""Packages from PyPI that are used as files: fetched once by digest, never installed.

Each is unpacked into the user's cache, and appears there only when it is complete.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from whyfast.model.errors import CannotBuildHere
from whyfast.store.files import make_once, replacing
from whyfast.store.home import Home
from whyfast.toolchain.provider import run


@dataclass(frozen=True)
class Wheel:
    """One release of a package of PyPI.

    ``hashes`` are sha256 of its files, one for each platform; the package manager takes the one
    that fits this machine and refuses a file with another hash.
    """

    package: str
    release: str
    hashes: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.package}-{self.release}"


def fetch(
    wheel: Wheel,
    parent: Path,
    progress: Callable[[str], None],
    *,
    label: str = "",
    part: str = ".",
    program: str = "",
) -> Path:
    """The folder ``parent``/NAME-RELEASE with the unpacked wheel, downloaded when new.

    It holds a file ``digest`` with the sha256 of the wheel. ``label`` is what progress calls it;
    ``part`` the folder in the wheel that is kept, and ``program`` a file in it to make executable,
    which pip would have done. Raises :class:`CannotBuildHere` when it is not available.
    """
    folder = parent / wheel.name
    label = label or f"{wheel.package} {wheel.release}"

    def install() -> None:
        progress(f"downloading {label}")
        try:
            with replacing(folder) as work:
                _install(wheel, work, part, program)
        except OSError as error:
            reason = f"unpacking {wheel.package} {wheel.release} into {parent} failed"
            raise CannotBuildHere(f"{reason}: {error.strerror or error}") from error

    waiting = f"waiting for another download of {label}"
    make_once(folder, (folder / "digest").exists, install, lambda: progress(waiting))
    return folder


def _install(wheel: Wheel, work: Path, part: str, program: str) -> None:
    """Download, check and unpack into ``work/made``."""
    file = _download(wheel, work)
    with zipfile.ZipFile(file) as archive:
        archive.extractall(work / "unpacked")
    root = work / "unpacked" / part
    if program:
        mode = (root / program).stat().st_mode
        (root / program).chmod(mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    (root / "digest").write_text(_sha256(file) + "\n")
    root.rename(work / "made")


def _download(wheel: Wheel, work: Path) -> Path:
    """The wheel for this machine, by pip, which checks the hash."""
    requirement = f"{wheel.package}=={wheel.release} " + " ".join(
        f"--hash=sha256:{h}" for h in wheel.hashes
    )
    (work / "requirements.txt").write_text(requirement + "\n")
    done = run(
        [
            # -P: with the current folder on its path, it would run a pip.py of a checkout.
            *(sys.executable, "-P", "-m", "pip", "download", "--quiet", "--no-deps"),
            *(
                "--no-cache-dir",
                "--only-binary",
                ":all:",
                "--require-hashes",
                "--disable-pip-version-check",
            ),
            *("-r", str(work / "requirements.txt"), "-d", str(work)),
        ],
        env=_pip_environment(os.environ),
    )
    wheels = list(work.glob("*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        last = (done.stderr.strip() or done.stdout.strip() or "no file").splitlines()[-1]
        raise CannotBuildHere(
            f"downloading {wheel.package} {wheel.release} with pip failed: {last}"
        )
    return wheels[0]


def _pip_environment(env: Mapping[str, str]) -> dict[str, str]:
    """The user's settings for pip, without what would redirect where it works."""
    return {k: v for k, v in env.items() if k not in ("PIP_TARGET", "PIP_PREFIX", "PIP_USER")}


def _sha256(file: Path) -> str:
    with file.open("rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


# ---- pyperf and pyperformance as files, for interpreters that have none of their own.
#
# Both are pure Python, so one unpacked copy serves every interpreter under study, and every one of
# them runs the very same benchmark code.

PYPERF = Wheel(
    "pyperf",
    "2.10.0",
    (
        "79196bc4a11e3c926dd4c6b14c80136c6b37f884fe913cbc57037f37636e9841",
        "dd93ccfda79214725293e95f1fa6e00cb4a64adcf1326039486d4e1f91caaa62",
    ),
)
PYPERFORMANCE = Wheel(
    "pyperformance",
    "1.14.0",
    (
        "91f74393997b604375ad5b79bf569a24076d70181c076a53abad5383a238a8aa",
        "94068ac2935b6952ccb5e8a302eb9cebc26e82454494bef6e53822738adf0049",
    ),
)


def pyperf_folder(home: Home, progress: Callable[[str], None]) -> Path:
    """A folder for ``PYTHONPATH`` with pyperf in it; CannotBuildHere when it is not available."""
    return fetch(PYPERF, home.cache / "packages", progress)


def pyperformance_benchmarks(home: Home, progress: Callable[[str], None]) -> Path:
    """The folder with pyperformance's ``bm_*`` folders; CannotBuildHere without one."""
    unpacked = fetch(PYPERFORMANCE, home.cache / "packages", progress)
    return unpacked / "pyperformance" / "data-files" / "benchmarks"
