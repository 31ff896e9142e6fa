"""Packages from PyPI that are used as files: pyperf, and clang for users who are not root (the
``ziglang`` wheels hold a whole one: ``zig:clang-19``). A wheel is downloaded once, checked against
the hashes that PyPI published, and unpacked into the user's cache."""

from __future__ import annotations

import os
import platform
import shutil
import stat
import sys
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whyfast.model.build import Toolchain
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.files import discard, exclusive, lock_of, make_once, replacing, sha256_of, used
from whyfast.store.home import Home
from whyfast.toolchain import Cost, Progress, first_line, run
from whyfast.toolchain.path import features, short_version


@dataclass(frozen=True)
class Wheel:
    """One release of a package of PyPI. ``hashes`` are sha256 of its files, one for each platform;
    the package manager takes the one that fits this machine and refuses a file with another
    hash."""

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
    """The folder ``parent``/NAME-RELEASE with the unpacked wheel, and its sha256 in ``digest``,
    downloaded when new. ``label``: what progress calls it; ``part``: the folder that is kept;
    ``program``: a file in it to make executable. CannotBuildHere when it is not available."""
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
    (root / "digest").write_text(sha256_of(file) + "\n")
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
            *("--no-cache-dir", "--only-binary", ":all:", "--require-hashes"),
            "--disable-pip-version-check",
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
    """The user's settings for pip, without those that redirect where it works."""
    return {k: v for k, v in env.items() if k not in ("PIP_TARGET", "PIP_PREFIX", "PIP_USER")}


# pyperf and pyperformance, for interpreters that have none of their own. Both are pure Python: one
# copy serves every interpreter under study, and all of them run the very same benchmark code.

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


#: zig adds flags of its own which differ between its releases: sanitizers, link-time optimisation
#: (0.13 only), frame pointers (0.14 and later), the CPU of the building machine. Each would be a
#: difference between compilers that is not the compiler, so all are set, the same for every one.
#: It also defines NDEBUG when it optimises, which no other compiler does.
#: A variant's own flags come later on the command line and win.
FIXED_FLAGS = ("-fno-sanitize=all", "-fno-lto", "-fomit-frame-pointer", "-UNDEBUG")

#: Of one wheel: the files on PyPI have 80 to 100 MB, unpacked 340 to 410 MB, and the compile cache
#: takes some more; the time is that of a download at 5 MB/s.
COST = Cost(download=100_000_000, disk=450_000_000, seconds=30.0)


def _zig(clang: str, release: str, x86_64: str, aarch64: str) -> tuple[str, Wheel]:
    """``x86_64`` and ``aarch64`` are sha256 of its files for Linux."""
    return clang, Wheel("ziglang", release, (x86_64, aarch64))


#: By the name that a study uses: the version of clang inside, and the wheel.
WHEELS: dict[str, tuple[str, Wheel]] = {
    "clang-18": _zig(
        "18.1.6",
        "0.13.0",
        "3ce0c9f16547e5d61b32e0d226926e9a2552ef4b91fccf7ab5ea1a623a77824b",
        "5714a4d46f9246ba6180a0930e23df2bc8bc26e62b5fe0dc798b4afca1903308",
    ),
    "clang-19": _zig(
        "19.1.7",
        "0.14.1",
        "6eb9d4d759b292c83810dbee2e9e8e3fbfbf01d864e6e9811bae711fd74e1c2f",
        "7994b27f3cbfcedea43f9b7552e38b45857bdf0e9a45065474092dd74e7048cf",
    ),
    "clang-20": _zig(
        "20.1.2",
        "0.15.2",
        "806316453d1ede7174ed3fefb8e5348154629089c3bb5fe812dfd0e172fac130",
        "edc0aa60ec964a4cf462d40f68d7de242ddf37fd9a80f2afaee6397059463230",
    ),
    "clang-21": _zig(
        "21.1.0",
        "0.16.0",
        "9fcda73f62b851dd72a54b710ad40a209896db14cfb13649e62191243556342b",
        "e27d409812b11e0fb89ed0200cf2e55b6464d43f9461553104e4a4f9a94a1fd5",
    ),
    "clang-22": _zig(
        "22.1.8",
        "0.17.0",
        "97079827064a7492cce5541ceb438ae8003ce1e54e399676da2d62fb7a5dc08b",
        "d2804f94f54f7fcf8169f4b212a619ad688a4e2e6592e976f0cf2e58e2cd8af3",
    ),
}


class ZigProvider:
    """Rootless clang 18 to 22."""

    def names(self) -> list[str]:
        return list(WHEELS)

    def installed(self, name: str, home: Home, packages: Sequence[str] = ()) -> bool:
        return name in WHEELS and (_folder(home, name) / "zig").exists()

    def cost(self, name: str, packages: Sequence[str] = ()) -> Cost:
        return COST

    def size(self, name: str, home: Home) -> int:
        """Of the unpacked wheel and its compile cache."""
        if not self.installed(name, home):
            return 0
        folder = _folder(home, name)
        return used(folder) + used(_cache(folder))

    def remove(self, name: str, home: Home) -> None:
        """Delete the unpacked wheel and its compile cache."""
        if name in WHEELS:
            folder = _folder(home, name)
            with exclusive(lock_of(folder)):
                if self.installed(name, home):
                    discard(folder)
                    shutil.rmtree(_cache(folder), ignore_errors=True)
                    return
        raise UserError(f"zig:{name} is not installed")

    def resolve(
        self, name: str, home: Home, progress: Progress, packages: Sequence[str] = ()
    ) -> Toolchain:
        """The toolchain, downloaded (80 to 100 MB) and unpacked (340 to 410 MB) when new."""
        if name not in WHEELS:
            raise UserError(f"unknown toolchain zig:{name}; available: {', '.join(WHEELS)}")
        clang, wheel = WHEELS[name]
        machine = platform.machine()
        if sys.platform != "linux" or machine not in ("x86_64", "aarch64"):
            raise CannotBuildHere(f"no ziglang wheel for {sys.platform} {machine}")
        label = f"clang {clang} (ziglang {wheel.release})"
        folder = fetch(wheel, home.toolchains, progress, label=label, part="ziglang", program="zig")
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


def _folder(home: Home, name: str) -> Path:
    return home.toolchains / WHEELS[name][1].name
