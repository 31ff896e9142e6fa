"""clang without root: the compilers inside the ``ziglang`` wheels of PyPI, ``zig:clang-19``.

A wheel is a whole clang with linker and C library headers. It is downloaded once, checked against
the hashes in :mod:`whyfast.toolchain.zig_wheels`, and unpacked into the user's cache, never into
the environment that whyfast itself runs in.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.toolchain import Toolchain
from whyfast.store.complete import discard, lock_of
from whyfast.store.disk import used
from whyfast.store.home import Home
from whyfast.store.lock import exclusive
from whyfast.toolchain.command import first_line
from whyfast.toolchain.path import short_version
from whyfast.toolchain.probe import features
from whyfast.toolchain.provider import Cost, Progress
from whyfast.toolchain.wheels import fetch
from whyfast.toolchain.zig_wheels import WHEELS

#: zig adds flags of its own which differ between its releases: sanitizers, link-time optimisation
#: (0.13 only), frame pointers (0.14 and later), the CPU of the building machine. Each would be a
#: difference between compilers that is not the compiler, so all are set, the same for every one.
#: It also defines NDEBUG when it optimises, which no other compiler does.
#: A variant's own flags come later on the command line and win.
FIXED_FLAGS = ("-fno-sanitize=all", "-fno-lto", "-fomit-frame-pointer", "-UNDEBUG")

#: Of one wheel: the files on PyPI have 80 to 100 MB, unpacked 340 to 410 MB, and the compile cache
#: takes some more; the time is that of a download at 5 MB/s.
COST = Cost(download=100_000_000, disk=450_000_000, seconds=30.0)


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
            raise UserError(f"toolchain zig:{name}: there are {', '.join(WHEELS)}")
        clang, wheel = WHEELS[name]
        machine = platform.machine()
        if sys.platform != "linux" or machine not in ("x86_64", "aarch64"):
            raise CannotBuildHere(f"no ziglang wheel is used on {sys.platform} {machine}")
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
