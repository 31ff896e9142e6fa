"""clang without root: the compilers inside the ``ziglang`` wheels of PyPI, ``zig:clang-19``.

A wheel is a whole clang with linker and C library headers. It is downloaded once, checked against
the hashes in :mod:`whyfast.toolchain.zig_wheels`, and unpacked into the user's cache, never into
the environment that whyfast itself runs in.
"""

from __future__ import annotations

import os
import platform
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.toolchain import Toolchain
from whyfast.store.disk import used
from whyfast.store.home import Home
from whyfast.store.lock import exclusive
from whyfast.toolchain.path import first_line, short_version
from whyfast.toolchain.probe import features
from whyfast.toolchain.provider import Progress
from whyfast.toolchain.zig_wheels import WHEELS, Wheel

#: zig adds flags of its own which differ between its releases: sanitizers, link-time optimisation
#: (0.13 only), frame pointers (0.14 and later), the CPU of the building machine. Each would be a
#: difference between compilers that is not the compiler, so all are set, the same for every one.
#: It also defines NDEBUG when it optimises, which no other compiler does.
#: A variant's own flags come later on the command line and win.
FIXED_FLAGS = ("-fno-sanitize=all", "-fno-lto", "-fomit-frame-pointer", "-UNDEBUG")


class ZigProvider:
    """Rootless clang 18 to 22."""

    def names(self) -> list[str]:
        return list(WHEELS)

    def installed(self, name: str, home: Home, packages: Sequence[str] = ()) -> bool:
        return name in WHEELS and (_folder(home, WHEELS[name]) / "zig").exists()

    def size(self, name: str, home: Home) -> int:
        """Of the unpacked wheel and its compile cache."""
        if not self.installed(name, home):
            return 0
        folder = _folder(home, WHEELS[name])
        return used(folder) + used(_cache(folder))

    def remove(self, name: str, home: Home) -> None:
        """Delete the unpacked wheel and its compile cache."""
        if name in WHEELS:
            folder = _folder(home, WHEELS[name])
            with exclusive(home.toolchains / f"{folder.name}.lock"):
                if self.installed(name, home):
                    shutil.rmtree(folder)
                    shutil.rmtree(_cache(folder), ignore_errors=True)
                    return
        raise UserError(f"zig:{name} is not installed")

    def resolve(
        self, name: str, home: Home, progress: Progress, packages: Sequence[str] = ()
    ) -> Toolchain:
        """The toolchain, downloaded (80 to 100 MB) and unpacked (340 to 410 MB) when new."""
        wheel = WHEELS.get(name)
        if wheel is None:
            raise UserError(f"toolchain zig:{name}: there are {', '.join(WHEELS)}")
        machine = platform.machine()
        if sys.platform != "linux" or machine not in ("x86_64", "aarch64"):
            raise CannotBuildHere(f"no ziglang wheel is used on {sys.platform} {machine}")
        folder = _folder(home, wheel)
        if not (folder / "zig").exists():
            lock = home.toolchains / f"{folder.name}.lock"
            with exclusive(lock, lambda: progress(f"waiting for another download of {name}")):
                if not (folder / "zig").exists():
                    progress(f"downloading clang {wheel.clang} (ziglang {wheel.release})")
                    _install(wheel, folder)
        # Under its real name: zig's own cache goes by the paths of its files.
        folder = folder.resolve()
        cache = _cache(folder)
        cache.mkdir(exist_ok=True)
        env = {"ZIG_GLOBAL_CACHE_DIR": str(cache), "ZIG_LOCAL_CACHE_DIR": str(cache)}
        target = f"{machine}-linux-gnu"
        cc = (str(folder / "zig"), "cc", "-target", target, *FIXED_FLAGS)
        whole = {**os.environ, **env}
        digest = (folder / "digest").read_text().strip()
        return Toolchain(
            name=f"zig:{name}",
            provider="zig",
            version=short_version(first_line([str(folder / "zig"), "cc", "--version"], whole)),
            target=target,
            digest=digest,
            cc=cc,
            features=features(cc, whole, digest, home.cache / "probes"),
            env=env,
            readable=(folder,),
            writable=(cache,),
        )


def _cache(folder: Path) -> Path:
    """Compiled start-up files and headers; zig writes them, so they are kept out of its folder."""
    return folder.with_name(f"{folder.name}-cache")


def _folder(home: Home, wheel: Wheel) -> Path:
    return home.toolchains / f"ziglang-{wheel.release}"


def _install(wheel: Wheel, folder: Path) -> None:
    """Download, check and unpack into ``folder``, which appears only when it is complete.

    The caller holds the lock of ``folder``.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    prefix = f"{folder.name}-unfinished-"
    for remains in folder.parent.glob(f"{prefix}*"):  # of a process that was killed
        shutil.rmtree(remains, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=prefix) as work:
        file = _download(wheel, Path(work))
        unpacked = Path(work, "unpacked")
        try:
            with zipfile.ZipFile(file) as archive:
                archive.extractall(unpacked)
        except OSError as error:
            raise CannotBuildHere(
                f"unpacking ziglang {wheel.release} into {folder.parent} failed: {error.strerror}"
            ) from error
        root = unpacked / "ziglang"
        program = root / "zig"
        program.chmod(program.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        (root / "digest").write_text(_sha256(file) + "\n")
        shutil.rmtree(folder, ignore_errors=True)
        root.rename(folder)


def _download(wheel: Wheel, work: Path) -> Path:
    """The wheel for this machine, by pip, which checks the hash."""
    requirement = f"ziglang=={wheel.release} " + " ".join(
        f"--hash=sha256:{h}" for h in wheel.hashes
    )
    (work / "requirements.txt").write_text(requirement + "\n")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir"),
            *("--only-binary", ":all:", "--require-hashes", "--disable-pip-version-check"),
            *("-r", str(work / "requirements.txt"), "-d", str(work)),
        ],
        env=_pip_environment(os.environ),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
    )
    wheels = list(work.glob("*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        last = (done.stderr.strip() or done.stdout.strip() or "no file").splitlines()[-1]
        raise CannotBuildHere(f"downloading ziglang {wheel.release} with pip failed: {last}")
    return wheels[0]


def _pip_environment(env: Mapping[str, str]) -> dict[str, str]:
    """The user's settings for pip, without what would redirect where it works."""
    return {k: v for k, v in env.items() if k not in ("PIP_TARGET", "PIP_PREFIX", "PIP_USER")}


def _sha256(file: Path) -> str:
    import hashlib

    with file.open("rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()
